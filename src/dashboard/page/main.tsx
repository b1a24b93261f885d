/** The page: its head, and the view that the address names. */

import { render } from "preact";
import { CompactionView } from "./compaction.tsx";
import { MAY_CHANGE, useRoute } from "./server.ts";
import { SessionView } from "./session.tsx";
import { SessionsView } from "./sessions.tsx";

function Page() {
  const [view, key = "", , eventId = ""] = useRoute();
  return (
    <>
      <header class="top">
        <a href="#/" class="name">
          Palimpsest
        </a>
        <span class="badge" title={MAY_CHANGE ? "Compactions can be rolled back" : "Nothing can be changed from here"}>
          {MAY_CHANGE ? "changes allowed" : "read-only"}
        </span>
      </header>
      <main>
        {view !== "session" ? (
          <SessionsView />
        ) : eventId === "" ? (
          <SessionView key={key} session={key} />
        ) : (
          <CompactionView key={eventId} session={key} event={eventId} />
        )}
      </main>
    </>
  );
}

const root = document.getElementById("page");
if (root !== null) {
  root.textContent = "";
  render(<Page />, root);
}
