/** One compaction: before and after side by side, each line of the checkpoint with what it came from, and the button that takes it back. */

import { useEffect, useRef, useState } from "preact/hooks";
import type { CompactionReport, CompactionRow, Mark, SummaryLine } from "../wire.ts";
import { MARK_WORDS, MessageList } from "./messages.tsx";
import { Said, Title, Waiting } from "./parts.tsx";
import { MAY_CHANGE, messageOf, rollBack, useServer } from "./server.ts";
import { Change, Crumbs, costOf, nameOf } from "./session.tsx";
import { count, dateTime, plural, seconds } from "./words.ts";

interface CompactionProps {
  readonly session: string;
  readonly event: string;
}

export function CompactionView({ session, event }: CompactionProps) {
  const { data, problem, reload } = useServer<CompactionReport>("compaction", { session, event });
  const [line, setLine] = useState<SummaryLine>();
  if (data === undefined) return <Waiting problem={problem} />;
  const { row, counts, messagesBefore, messagesAfter, purged } = data;
  const name = `${nameOf(row)} ${row.number}`;
  return (
    <>
      <Crumbs row={data.session} here={name} />
      <div class="line">
        <Title name={name}>{name}</Title>
        <RollBack session={session} row={row} done={reload} />
      </div>
      <Facts row={row} />
      {purged > 0 && <p class="quiet">{plural(purged, "message")} of that time cannot be shown any more: purged.</p>}
      <div class="sides">
        <section>
          <h2>
            Before{" "}
            <span class="quiet">
              {plural(messagesBefore, "message")}, {count(row.tokensBefore)} tokens
            </span>
          </h2>
          {line === undefined ? (
            <Side session={session} event={event} side="before" marks={["-", "~", "="]} counts={counts} />
          ) : (
            <Origin session={session} event={event} line={line} close={() => setLine(undefined)} />
          )}
        </section>
        <section>
          <h2>
            After{" "}
            <span class="quiet">
              {plural(messagesAfter, "message")}, {count(row.tokensAfter)} tokens
            </span>
          </h2>
          {data.summary.length > 0 && <Checkpoint lines={data.summary} chosen={line} choose={setLine} />}
          <Side session={session} event={event} side="after" marks={["+", "~", "="]} counts={counts} />
        </section>
      </div>
    </>
  );
}

function Facts({ row }: { readonly row: CompactionRow }) {
  const facts = [
    ["when", dateTime(row.at)],
    ["trigger", row.trigger],
    ["strategy", row.strategy],
    ["profile", row.profile],
    ...(row.model === null ? [] : [["model", row.model]]),
    ["cost", costOf(row)],
    ["took", seconds(row.durationMs)],
    ...(row.instructions === null ? [] : [["focus", row.instructions]]),
    ...(row.undoneAt === null ? [] : [["rolled back", dateTime(row.undoneAt)]]),
  ];
  return (
    <>
      <div class="difference">
        <Change row={row} />
      </div>
      <dl class="facts">
        {facts.map(([name = "", value = ""]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              <Said text={value} />
            </dd>
          </div>
        ))}
      </dl>
    </>
  );
}

interface SideProps extends CompactionProps {
  readonly side: "before" | "after";
  readonly marks: readonly Mark[];
  readonly counts: Readonly<Record<Mark, number>>;
}

function Side({ session, event, side, marks, counts }: SideProps) {
  const present = marks.filter((mark) => counts[mark] > 0);
  const [chosen, setChosen] = useState<Mark | "">(side === "before" && present.length > 1 ? (present[0] ?? "") : "");
  const choice = (mark: Mark | "", label: string) => (
    <button key={mark} type="button" aria-pressed={chosen === mark} onClick={() => setChosen(mark)}>
      {label}
    </button>
  );
  const all = marks.reduce((sum, mark) => sum + counts[mark], 0);
  return (
    <>
      <div class="choices">
        {present.map((mark) => choice(mark, `${MARK_WORDS[mark]} ${count(counts[mark])}`))}
        {choice("", `all ${count(all)}`)}
      </div>
      <MessageList
        key={chosen}
        session={session}
        name="changes"
        event={event}
        parameters={{ side, mark: chosen }}
        of={`Messages ${side}`}
        none="None."
      />
    </>
  );
}

interface CheckpointProps {
  readonly lines: readonly SummaryLine[];
  readonly chosen: SummaryLine | undefined;
  choose(line: SummaryLine | undefined): void;
}

function Checkpoint({ lines, chosen, choose }: CheckpointProps) {
  const isTold = lines.some(({ sources }) => sources.length > 0);
  return (
    <div class="checkpoint">
      <p class="quiet">
        {isTold
          ? "The checkpoint: choose a line to see the messages it came from."
          : "The checkpoint: choose a line to look for it in what left."}
      </p>
      {lines.map((line, index) =>
        line.type === "heading" ? (
          <h3 key={index} class={`depth-${line.depth}`}>
            <Said text={line.text} />
          </h3>
        ) : (
          <button
            key={index}
            type="button"
            class={`said ${line.type} depth-${Math.min(3, line.depth)}`}
            aria-pressed={chosen === line}
            onClick={() => choose(chosen === line ? undefined : line)}
          >
            <Said text={line.text} />
            {line.sources.length > 0 && <span class="note">{plural(line.sources.length, "source")}</span>}
          </button>
        ),
      )}
    </div>
  );
}

interface OriginProps extends CompactionProps {
  readonly line: SummaryLine;
  close(): void;
}

function Origin({ session, event, line, close }: OriginProps) {
  const { text, sources } = line;
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.scrollIntoView({ block: "nearest" }), [line]);
  return (
    <div class="origin" role="status">
      <div class="line">
        <h3 ref={heading}>{sources.length > 0 ? "This line came from" : "Best matches in what left, for"}</h3>
        <button type="button" onClick={close}>
          Show all again
        </button>
      </div>
      <blockquote>
        <Said text={text} />
      </blockquote>
      {sources.length > 0 ? (
        <MessageList
          session={session}
          name="sources"
          parameters={{ messages: sources.join(",") }}
          of="Sources"
          none="They were purged."
        />
      ) : (
        <MessageList
          session={session}
          event={event}
          name="search"
          parameters={{ query: text }}
          of="Matches"
          none="Nothing that left has these words."
        />
      )}
    </div>
  );
}

function RollBack({ session, row, done }: { readonly session: string; readonly row: CompactionRow; done(): void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [problem, setProblem] = useState<string>();
  if (row.undoneAt !== null || row.purgedAt !== null || !MAY_CHANGE) return null;
  const confirm = async (): Promise<void> => {
    try {
      await rollBack({ session, event: row.id, cascade: row.later > 0 });
      dialog.current?.close();
      done();
    } catch (error) {
      setProblem(messageOf(error));
    }
  };
  return (
    <>
      <button type="button" onClick={() => dialog.current?.showModal()}>
        Roll back…
      </button>
      <dialog ref={dialog} aria-labelledby="roll-back">
        <h2 id="roll-back">Roll this compaction back?</h2>
        <p>
          What left the view comes back, to the byte; the view grows to about {count(row.tokensBefore)} tokens.
          {row.later > 0 && ` ${plural(row.later, "later compaction")} will be rolled back too.`}
        </p>
        {problem !== undefined && <Waiting problem={problem} />}
        <div class="controls">
          <button type="button" onClick={() => dialog.current?.close()}>
            Cancel
          </button>
          <button type="button" class="primary" onClick={() => void confirm()}>
            Roll back
          </button>
        </div>
      </dialog>
    </>
  );
}
