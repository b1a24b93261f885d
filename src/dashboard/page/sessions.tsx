/** The list of sessions: searched and sorted by the server, a page at a time, and live. */

import { useEffect, useState } from "preact/hooks";
import type { Money, SessionRow, SessionSort, SessionsPage } from "../wire.ts";
import { ContextWords, Meter, Pager, Said, State, Title, Waiting } from "./parts.tsx";
import { hrefOf, useServer } from "./server.ts";
import { ago, count, dateTime, dollars, percent, plural } from "./words.ts";

const ROWS = 50;
const TYPING_MS = 200;

export function SessionsView() {
  const [typed, setTyped] = useState("");
  const [query, setQuery] = useState("");
  const [sort, setSort] = useState<SessionSort>("changed");
  const [offset, setOffset] = useState(0);
  useEffect(() => {
    const timer = setTimeout(() => {
      setQuery(typed);
      setOffset(0);
    }, TYPING_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  const { data, problem } = useServer<SessionsPage>("sessions", { query, sort, offset, limit: ROWS }, true);
  return (
    <>
      <div class="line">
        <Title name="">Sessions</Title>
        <search class="controls">
          <input
            type="search"
            aria-label="Search sessions"
            placeholder="Search id, client, model…"
            value={typed}
            onInput={({ currentTarget }) => setTyped(currentTarget.value)}
          />
          <select
            aria-label="Sort sessions by"
            value={sort}
            onChange={({ currentTarget }) => {
              // The options below are the only values.
              setSort(currentTarget.value as SessionSort);
              setOffset(0);
            }}
          >
            <option value="changed">newest first</option>
            <option value="context">largest context</option>
            <option value="turns">most turns</option>
            <option value="compactions">most compactions</option>
          </select>
        </search>
      </div>
      {problem !== undefined && <Waiting problem={problem} />}
      {data === undefined ? (
        problem === undefined && <Waiting problem={undefined} />
      ) : (
        <Listed data={data} query={query} />
      )}
      {data !== undefined && (
        <Pager offset={offset} size={ROWS} total={data.matching} of="sessions" onChange={setOffset} />
      )}
    </>
  );
}

function Listed({ data, query }: { readonly data: SessionsPage; readonly query: string }) {
  const { rows, total, matching, store } = data;
  const found = query === "" ? plural(total, "session") : `${count(matching)} of ${plural(total, "session")}`;
  return (
    <>
      <p class="quiet under" aria-live="polite">
        {found} in <Said text={store} />
      </p>
      {rows.length === 0 ? (
        <p class="empty">{total === 0 ? "Nothing is stored here yet." : "No session has all of these words."}</p>
      ) : (
        <table class="sessions">
          <thead>
            <tr>
              <th scope="col">Session</th>
              <th scope="col">Context now</th>
              <th scope="col" class="number wide">
                Turns
              </th>
              <th scope="col" class="number wide">
                Compactions
              </th>
              <th scope="col" class="number wide">
                Cached
              </th>
              <th scope="col" class="number wide">
                Spent
              </th>
              <th scope="col" class="number wide">
                Changed
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <Row key={row.key} row={row} />
            ))}
          </tbody>
        </table>
      )}
    </>
  );
}

function Row({ row }: { readonly row: SessionRow }) {
  const { key, id, title, client, model, agentId, state, context, turns, compactions, cachedShare, money, changedAt } =
    row;
  const about = [client, model, agentId].filter((word): word is string => word !== null && word !== "");
  const changed = ago(changedAt, Date.now());
  return (
    <tr>
      <td class="who">
        <a href={hrefOf("session", key)}>
          <Said text={title === "" ? id : title} />
        </a>
        <span class="about">
          <State state={state} />
          {title !== "" && <Said text={id} className="id" />}
          {about.map((word) => (
            <Said key={word} text={word} />
          ))}
        </span>
        <span class="about narrow">
          {plural(turns, "turn")}, {plural(compactions, "compaction")}
          {money?.spentUsd != null && `, ${dollars(money.spentUsd)}`}, {changed}
        </span>
      </td>
      <td class="context">
        <ContextWords context={context} />
        <Meter context={context} />
      </td>
      <td class="number wide">{count(turns)}</td>
      <td class="number wide">{compactions === 0 ? <span class="quiet">none</span> : count(compactions)}</td>
      <td class="number wide">{cachedShare === null ? <span class="quiet">–</span> : percent(cachedShare)}</td>
      <td class="number wide">
        <Spent money={money} />
      </td>
      <td class="number wide" title={dateTime(changedAt)}>
        {changed}
      </td>
    </tr>
  );
}

function Spent({ money }: { readonly money: Money | null }) {
  if (money === null || money.spentUsd === null) return <span class="quiet">–</span>;
  const { spentUsd, everythingUsd } = money;
  const saved = everythingUsd === null ? 0 : everythingUsd - spentUsd;
  return (
    <>
      {dollars(spentUsd)}
      {Math.abs(saved) >= 0.0001 && (
        <span class={saved > 0 ? "saved" : "lost"}>
          {saved > 0 ? "saved" : "lost"} {dollars(Math.abs(saved))}
        </span>
      )}
    </>
  );
}
