/** One session: how full it is, what it cost, its context over time, its compactions, and every message that it ever held. */

import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { CompactionRow, SessionReport, SessionRow } from "../wire.ts";
import { CacheChart, ContextChart } from "./chart.tsx";
import { MessageList, NOTHING } from "./messages.tsx";
import { ContextWords, Meter, Said, State, Title, Waiting } from "./parts.tsx";
import { addressOf, hrefOf, useServer } from "./server.ts";
import { ago, count, dateTime, dollars, percent, plural, short } from "./words.ts";

export function SessionView({ session }: { readonly session: string }) {
  const { data, problem } = useServer<SessionReport>("session", { session }, true);
  if (data === undefined) return <Waiting problem={problem} />;
  const { row, series, compactions } = data;
  return (
    <>
      <Crumbs row={row} />
      {problem !== undefined && <Waiting problem={problem} />}
      <Title name={row.id}>
        <Said text={row.title === "" ? row.id : row.title} />
      </Title>
      <About report={data} />
      <Tiles report={data} />
      {series.at.length > 1 && (
        <section aria-label="Charts" class="charts">
          <ContextChart
            series={series}
            openMark={(eventId) => {
              location.hash = hrefOf("session", session, "compaction", eventId);
            }}
          />
          {series.of === "requests" && <CacheChart series={series} />}
        </section>
      )}
      <section>
        <h2>Compactions</h2>
        {compactions.length === 0 ? (
          <p class="empty">This session was never compacted.</p>
        ) : (
          <Compactions session={session} rows={compactions} />
        )}
      </section>
      <Messages report={data} />
    </>
  );
}

export function Crumbs({ row, here }: { readonly row: SessionRow; readonly here?: string }) {
  return (
    <nav class="crumbs" aria-label="Where you are">
      <a href="#/">Sessions</a>
      {here !== undefined && (
        <>
          <span aria-hidden="true">/</span>
          <a href={hrefOf("session", row.key)}>
            <Said text={row.title === "" ? row.id : row.title} />
          </a>
        </>
      )}
    </nav>
  );
}

function About({ report }: { readonly report: SessionReport }) {
  const { row, format, createdAt, facts, parentId } = report;
  const shown = [
    ["id", row.id],
    ...(row.model === null ? [] : [["model", row.model]]),
    ["format", format],
    ...(row.agentId === "" ? [] : [["agent", row.agentId]]),
    ...(parentId === null ? [] : [["forked from", parentId]]),
    ...facts.filter(([name]) => name !== "model"),
    ["begun", dateTime(createdAt)],
  ];
  return (
    <dl class="facts">
      <div>
        <dt class="unseen">state</dt>
        <dd>
          <State state={row.state} /> <span class="quiet">{ago(row.changedAt, Date.now())}</span>
        </dd>
      </div>
      {shown.map(([name = "", value = ""]) => (
        <div key={name}>
          <dt>
            <Said text={name} />
          </dt>
          <dd>
            <Said text={value} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Tile({ name, children }: { readonly name: string; readonly children: ComponentChildren }) {
  return (
    <div class="tile">
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function Tiles({ report }: { readonly report: SessionReport }) {
  const { row, archived, systemTokens, toolsTokens } = report;
  const { money } = row;
  return (
    <dl class="tiles">
      <Tile name="Context now">
        <strong>
          <ContextWords context={row.context} />
        </strong>
        <Meter context={row.context} />
        <small>
          system prompt {short(systemTokens)}, tools {short(toolsTokens)}
        </small>
      </Tile>
      <Tile name="Messages in view">
        <strong>{count(row.inView)}</strong>
        <small>
          {count(archived)} in the archive, {plural(row.turns, "turn")}
        </small>
      </Tile>
      <Tile name="Compactions">
        <strong>{count(row.compactions)}</strong>
        <small>{lastOf(report.compactions)}</small>
      </Tile>
      {row.cachedShare !== null && (
        <Tile name="Read from the cache">
          <strong>{percent(row.cachedShare)}</strong>
          <small>of the input of {plural(row.requests, "request")}</small>
        </Tile>
      )}
      {money !== null && money.spentUsd !== null && (
        <Tile name="Spent">
          <strong>{dollars(money.spentUsd)}</strong>
          <small>
            {money.compactionsUsd > 0 ? `${dollars(money.compactionsUsd)} by compactions` : "compactions: nothing"}
          </small>
        </Tile>
      )}
      {money !== null && money.spentUsd !== null && money.everythingUsd !== null && (
        <Tile name={money.everythingUsd >= money.spentUsd ? "Saved" : "Lost"}>
          <strong>{dollars(Math.abs(money.everythingUsd - money.spentUsd))}</strong>
          <small>
            {dollars(money.everythingUsd)} with everything sent
            {money.overWindow > 0 && `; ${plural(money.overWindow, "request")} would not have fitted`}
          </small>
        </Tile>
      )}
    </dl>
  );
}

function lastOf(rows: readonly CompactionRow[]): string {
  const last = rows.findLast(({ undoneAt }) => undoneAt === null);
  return last === undefined ? "none in force" : `${short(last.tokensBefore)} → ${short(last.tokensAfter)} at the last`;
}

function Compactions({ session, rows }: { readonly session: string; readonly rows: readonly CompactionRow[] }) {
  return (
    <table class="compactions">
      <thead>
        <tr>
          <th scope="col">Compaction</th>
          <th scope="col">Tokens</th>
          <th scope="col" class="number wide">
            Left the view
          </th>
          <th scope="col" class="wide">
            Trigger
          </th>
          <th scope="col" class="number wide">
            Cost
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.toReversed().map((row) => (
          <tr key={row.id}>
            <td class="who">
              <a href={hrefOf("session", session, "compaction", row.id)}>
                {nameOf(row)} {row.number}
              </a>
              <span class="about">
                <span>{dateTime(row.at)}</span>
                {row.undoneAt !== null && <span class="note">rolled back</span>}
                {row.purgedAt !== null && <span class="note">purged</span>}
              </span>
            </td>
            <td>
              <Change row={row} />
            </td>
            <td class="number wide">{count(row.removed)}</td>
            <td class="wide">
              <Said text={row.trigger} />
            </td>
            <td class="number wide">{costOf(row)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

export function nameOf({ isCompaction, trigger }: CompactionRow): string {
  return isCompaction ? "Compaction" : trigger === "rewind" ? "Rewind" : "Pruning";
}

export function costOf({ calls, costUsd }: CompactionRow): string {
  if (calls === 0) return "no model asked";
  return costUsd === null ? plural(calls, "call") : dollars(costUsd);
}

/** Before and after as bars of one scale. */
export function Change({ row }: { readonly row: CompactionRow }) {
  const { tokensBefore, tokensAfter } = row;
  const share = tokensBefore === 0 ? 1 : tokensAfter / tokensBefore;
  return (
    <span class="change">
      <span>
        {count(tokensBefore)} <span aria-hidden="true">→</span>
        <span class="unseen">to</span> {count(tokensAfter)}
      </span>
      <span class="meter" aria-hidden="true">
        <span style={{ width: `${Math.min(100, share * 100)}%` }} />
      </span>
    </span>
  );
}

type Tab = "view" | "archive" | "search";
const TYPING_MS = 300;

function Messages({ report }: { readonly report: SessionReport }) {
  const { row, archived } = report;
  const session = row.key;
  const [tab, setTab] = useState<Tab>("view");
  const [typed, setTyped] = useState("");
  const [query, setQuery] = useState("");
  useEffect(() => {
    const timer = setTimeout(() => setQuery(typed.trim()), TYPING_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  const choice = (name: Tab, label: string) => (
    <button type="button" aria-pressed={tab === name} onClick={() => setTab(name)}>
      {label}
    </button>
  );
  return (
    <section>
      <div class="line">
        <h2>Messages</h2>
        <div class="controls">
          <a class="button" href={addressOf("export", { session })} download>
            Export the request
          </a>
          <a class="button" href={addressOf("export", { session, all: 1 })} download>
            Export everything
          </a>
        </div>
      </div>
      <div class="choices">
        {choice("view", `In view ${count(row.inView)}`)}
        {choice("archive", `Archive ${count(archived)}`)}
        {choice("search", "Search")}
      </div>
      {tab === "search" ? (
        <>
          <search>
            <input
              type="search"
              class="whole"
              aria-label="Search everything this session ever held"
              placeholder="Search everything this session ever held…"
              value={typed}
              onInput={({ currentTarget }) => setTyped(currentTarget.value)}
            />
          </search>
          {query === "" ? (
            <p class="empty">Archive and view are searched, best hits first.</p>
          ) : (
            <MessageList
              key={query}
              session={session}
              name="search"
              parameters={{ query }}
              of="Found messages"
              none={NOTHING}
            />
          )}
        </>
      ) : (
        <MessageList
          key={tab}
          session={session}
          name="messages"
          parameters={{ scope: tab, at: row.changedAt }}
          of={tab === "view" ? "Messages in view" : "Archived messages"}
          none={tab === "view" ? "The view is empty." : "Nothing has left the view."}
          startsAt={tab === "view" ? row.inView : 0}
        />
      )}
    </section>
  );
}
