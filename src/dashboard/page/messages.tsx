/** Lists of messages; each opens to what it says in full. */

import { useId, useState } from "preact/hooks";
import type { Mark, MessageReport, MessageRow, MessagesPage, PartText } from "../wire.ts";
import { Pager, Said, Waiting } from "./parts.tsx";
import { useServer } from "./server.ts";
import { dateTime, plural, short } from "./words.ts";

export const MARK_WORDS: Readonly<Record<Mark, string>> = { "=": "kept", "~": "shortened", "-": "left", "+": "added" };
const MARK_SIGNS: Readonly<Record<Mark, string>> = { "=": "=", "~": "~", "-": "−", "+": "+" };

interface RowProps {
  readonly session: string;
  readonly row: MessageRow;
  /** The compaction whose version of a shortened message is shown. */
  readonly event?: string | undefined;
}

export function MessageItem({ session, row, event }: RowProps) {
  const [isOpen, setOpen] = useState(false);
  const body = useId();
  const { id, what, tokens, begins, mark, isPinned, isSummary, isEdited, archivedBy, at } = row;
  const notes = [
    ...(isPinned ? ["pinned"] : []),
    // A summary, an answer to it, or a message that a compaction had to move.
    ...(isSummary ? ["inserted"] : []),
    ...(isEdited && mark === undefined ? ["shortened"] : []),
    ...(archivedBy !== null && mark === undefined ? [`in archive ${archivedBy}`] : []),
  ];
  return (
    <li class={`message ${what === "user" ? "person" : ""}${mark === undefined ? "" : ` ${MARK_WORDS[mark]}`}`}>
      <button type="button" aria-expanded={isOpen} aria-controls={body} onClick={() => setOpen(!isOpen)}>
        {mark !== undefined && (
          <span class="mark" title={MARK_WORDS[mark]}>
            <span aria-hidden="true">{MARK_SIGNS[mark]}</span>
            <span class="unseen">{MARK_WORDS[mark]}:</span>
          </span>
        )}
        <span class="what">
          <Said text={what} />
          {notes.map((note) => (
            <span key={note} class="note">
              {note}
            </span>
          ))}
        </span>
        <Said text={begins} className="begins" />
        <span class="size" title={dateTime(at)}>
          {short(tokens)}
        </span>
      </button>
      <div id={body} class="body" hidden={!isOpen}>
        {isOpen && <MessageBody session={session} message={id} event={event} at={at} />}
      </div>
    </li>
  );
}

interface BodyProps {
  readonly session: string;
  readonly message: string;
  readonly event?: string | undefined;
  readonly at: string;
}

function MessageBody({ session, message, event, at }: BodyProps) {
  const { data, problem } = useServer<MessageReport>("message", { session, message, event });
  if (data === undefined) return <Waiting problem={problem} />;
  return (
    <>
      <p class="quiet">
        {message}, {dateTime(at)}
      </p>
      {data.shortened !== undefined && (
        <>
          <h4>In the view now</h4>
          <Parts parts={data.shortened} />
          <h4>As it was written</h4>
        </>
      )}
      <Parts parts={data.parts} />
    </>
  );
}

function Parts({ parts }: { readonly parts: readonly PartText[] }) {
  if (parts.length === 0) return <p class="quiet">It is empty.</p>;
  return (
    <>
      {parts.map(({ label, text, cut }, index) => (
        <div class="part" key={index}>
          <span class="label">
            <Said text={label} />
          </span>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a long part scrolls, also by keys. */}
          <pre tabIndex={0}>
            <Said text={text === "" ? "(withheld)" : text} />
          </pre>
          {cut > 0 && <p class="quiet">{plural(cut, "more character")}; the export has all of it</p>}
        </div>
      ))}
    </>
  );
}

interface ListProps {
  readonly session: string;
  /** The question to the server, and its parameters. */
  readonly name: "messages" | "changes" | "sources" | "search";
  readonly parameters: Readonly<Record<string, string>>;
  readonly of: string;
  readonly event?: string;
  readonly none: string;
  /** Of a list that grows: begins with its last page. */
  readonly startsAt?: number;
}

const ROWS = 100;

export const NOTHING = "Nothing was found; try other or fewer words.";

export function MessageList({ session, name, parameters, of, event, none, startsAt = 0 }: ListProps) {
  const [offset, setOffset] = useState(Math.floor(Math.max(0, startsAt - 1) / ROWS) * ROWS);
  const { data, problem } = useServer<MessagesPage>(name, { session, event, ...parameters, offset, limit: ROWS });
  if (data === undefined) return <Waiting problem={problem} />;
  if (data.total === 0) return <p class="empty">{none}</p>;
  const pager = <Pager offset={offset} size={ROWS} total={data.total} of={of} onChange={setOffset} />;
  return (
    <>
      {pager}
      <ol class="messages" aria-label={of}>
        {data.rows.map((row) => (
          <MessageItem key={row.id} session={session} row={row} event={event} />
        ))}
      </ol>
    </>
  );
}
