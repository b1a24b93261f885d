/** Pieces that several views use. */

import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { ContextUse, SessionState } from "../wire.ts";
import { count, percent, short, visible } from "./words.ts";

/** Text of a transcript: never markup, in a direction of its own. */
export function Said({ text, className }: { readonly text: string; readonly className?: string }) {
  return (
    <bdi class={className} dir="auto">
      {visible(text)}
    </bdi>
  );
}

/** The heading of a view takes the focus, so that a screen reader says where one is. */
export function Title({ children, name }: { readonly children: ComponentChildren; readonly name: string }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = name === "" ? "Palimpsest" : `${name} – Palimpsest`;
  }, [name]);
  useEffect(() => heading.current?.focus({ preventScroll: true }), []);
  return (
    <h1 ref={heading} tabIndex={-1}>
      {children}
    </h1>
  );
}

export function Waiting({ problem }: { readonly problem: string | undefined }) {
  return problem === undefined ? (
    <p class="quiet">Reading…</p>
  ) : (
    <p class="problem" role="alert">
      {problem}
    </p>
  );
}

const STATES: Readonly<Record<SessionState, string>> = { active: "● active", idle: "○ idle", refused: "▲ refused" };

export function State({ state }: { readonly state: SessionState }) {
  return <span class={`state ${state}`}>{STATES[state]}</span>;
}

/** A bar up to the window, with a tick where the next compaction begins. */
export function Meter({ context }: { readonly context: ContextUse }) {
  const { tokens, windowTokens, triggerTokens } = context;
  if (tokens === null || windowTokens === null || windowTokens === 0) return null;
  const share = tokens / windowTokens;
  const isDue = triggerTokens !== null && tokens >= triggerTokens;
  return (
    <span class={isDue || share > 1 ? "meter due" : "meter"} aria-hidden="true">
      <span style={{ width: `${Math.min(100, share * 100)}%` }} />
      {triggerTokens !== null && <i style={{ left: `${Math.min(100, (triggerTokens / windowTokens) * 100)}%` }} />}
    </span>
  );
}

/** `41.2k of 200k`. */
export function ContextWords({ context }: { readonly context: ContextUse }) {
  const { tokens, isEstimate, windowTokens } = context;
  if (tokens === null) return <span class="quiet">not known</span>;
  const share = windowTokens === null ? null : tokens / windowTokens;
  return (
    <span title={`${count(tokens)} tokens${isEstimate ? ", an estimate" : ""}`}>
      {isEstimate ? "~" : ""}
      {short(tokens)}
      {windowTokens !== null && <span class="quiet"> of {short(windowTokens)}</span>}
      {share !== null && <span class="quiet share"> {percent(share)}</span>}
    </span>
  );
}

interface PagerProps {
  readonly offset: number;
  readonly size: number;
  readonly total: number;
  readonly of: string;
  onChange(offset: number): void;
}

export function Pager({ offset, size, total, of, onChange }: PagerProps) {
  if (total <= size) return null;
  const last = Math.floor((total - 1) / size) * size;
  const step = (label: string, to: number, sign: string) => (
    <button type="button" aria-label={`${label} ${of}`} disabled={to === offset} onClick={() => onChange(to)}>
      {sign}
    </button>
  );
  return (
    <nav class="pager" aria-label={`Pages of ${of}`}>
      {step("First", 0, "⇤")}
      {step("Previous", Math.max(0, offset - size), "←")}
      <span aria-live="polite">
        {count(offset + 1)}–{count(Math.min(total, offset + size))} of {count(total)}
      </span>
      {step("Next", Math.min(last, offset + size), "→")}
      {step("Last", last, "⇥")}
    </nav>
  );
}
