/** Charts over the requests of a session. Every line is told by its form and its label too, and a readout follows mouse and arrow keys. */

import { useEffect, useRef, useState } from "preact/hooks";
import uPlot from "uplot";
import type { Series } from "../wire.ts";
import { count, dateTime, short } from "./words.ts";

export interface Line {
  readonly label: string;
  /** Name of a colour in page.css. */
  readonly colour: string;
  readonly values: readonly (number | null)[];
  readonly dash?: readonly number[];
  readonly width?: number;
  readonly isFilled?: boolean;
  /** Drawn in steps: a sum of stacked parts. */
  readonly isStep?: boolean;
}

interface ChartProps {
  readonly name: string;
  readonly series: Series;
  readonly lines: readonly Line[];
  readonly ceiling: number;
  /** Of the place under the cursor. */
  readout(place: number): string;
  openMark?(eventId: string): void;
}

const HEIGHT = 250;
const MARK_NEAR = 14;

export function Chart({ name, series, lines, ceiling, readout, openMark }: ChartProps) {
  const holder = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot>(undefined);
  const last = series.at.length - 1;
  const [place, setPlace] = useState(last);
  const scheme = useScheme();
  const drawn = JSON.stringify([lines.map(({ label }) => label), ceiling, scheme]);
  const data = [series.at.map((_, index) => index + 1), ...lines.map(({ values }) => values)] as uPlot.AlignedData;
  const live = useRef({ series, openMark, setPlace });
  live.current = { series, openMark, setPlace };
  useEffect(() => {
    const element = holder.current;
    if (element === null) return;
    const marks = (): Series["marks"] => live.current.series.marks;
    const made = new uPlot(
      optionsOf({ element, lines, ceiling, marks, moved: (at) => live.current.setPlace(at) }),
      data,
      element,
    );
    plot.current = made;
    const observer = new ResizeObserver(() => made.setSize({ width: element.clientWidth, height: HEIGHT }));
    observer.observe(element);
    made.over.addEventListener("click", ({ offsetX }) => {
      const near = marks().find(({ place: at }) => Math.abs(made.valToPos(at + 1, "x") - offsetX) < MARK_NEAR);
      if (near !== undefined) live.current.openMark?.(near.eventId);
    });
    return () => {
      observer.disconnect();
      made.destroy();
    };
  }, [drawn]);
  useEffect(() => plot.current?.setData(data), [series]);
  const move = (to: number): void => {
    const at = Math.max(0, Math.min(last, to));
    setPlace(at);
    const made = plot.current;
    made?.setCursor({ left: made.valToPos(at + 1, "x"), top: 0 }, false);
  };
  return (
    <figure class="chart">
      <figcaption>
        <span class="label">{name}</span>
        <span class="legend">
          {lines.map(({ label, colour, dash }) => (
            <span key={label}>
              <i
                class={`${colour} ${dash === undefined ? "" : dash.length > 2 || (dash[0] ?? 0) < 3 ? "dotted" : "dashed"}`}
              />
              {label}
            </span>
          ))}
        </span>
      </figcaption>
      <div
        class="plot"
        ref={holder}
        role="slider"
        tabIndex={0}
        aria-label={`${name}: arrow keys read the values`}
        aria-valuemin={1}
        aria-valuemax={last + 1}
        aria-valuenow={Math.min(place, last) + 1}
        aria-valuetext={readout(Math.min(place, last))}
        onKeyDown={(event) => {
          const to = KEYS[event.key]?.(place, last);
          if (to === undefined) return;
          event.preventDefault();
          move(to);
        }}
      />
      <p class="readout" aria-hidden="true">
        {readout(Math.min(place, last))}
      </p>
    </figure>
  );
}

const KEYS: Readonly<Record<string, (place: number, last: number) => number>> = {
  ArrowLeft: (place) => place - 1,
  ArrowRight: (place) => place + 1,
  PageUp: (place) => place - 20,
  PageDown: (place) => place + 20,
  Home: () => 0,
  End: (_, last) => last,
};

function useScheme(): boolean {
  const query = matchMedia("(prefers-color-scheme: dark)");
  const [isDark, setDark] = useState(query.matches);
  useEffect(() => {
    const changed = (): void => setDark(query.matches);
    query.addEventListener("change", changed);
    return () => query.removeEventListener("change", changed);
  });
  return isDark;
}

interface Drawing {
  readonly element: HTMLElement;
  readonly lines: readonly Line[];
  readonly ceiling: number;
  marks(): Series["marks"];
  moved(place: number): void;
}

function optionsOf({ element, lines, ceiling, marks, moved }: Drawing): uPlot.Options {
  const colour = (name: string): string => colourOf(element, name);
  const font = `12px ${getComputedStyle(element).fontFamily}`;
  const axis = { stroke: colour("quiet"), font, ticks: { show: false }, gap: 6 };
  const grid = { stroke: colour("rule"), width: 1 };
  const stepped = uPlot.paths.stepped?.({ align: 1 });
  return {
    width: element.clientWidth,
    height: HEIGHT,
    padding: [18, 12, 0, 0],
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false }, points: { size: 6 } },
    scales: { x: { time: false }, y: { range: [0, ceiling] } },
    axes: [
      { ...axis, grid: { show: false }, size: 28, incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000] },
      { ...axis, grid, size: 52, values: (_, values) => values.map(short) },
    ],
    series: [
      {},
      ...lines.map(({ label, colour: name, dash, width = 1.5, isFilled, isStep }) => ({
        label,
        stroke: colour(name),
        width,
        points: { show: false },
        ...(dash !== undefined && { dash: [...dash] }),
        ...(isFilled && { fill: colour(`${name}-soft`) }),
        ...(isStep && stepped !== undefined && { paths: stepped }),
      })),
    ],
    hooks: {
      setCursor: [({ cursor: { idx } }) => idx !== null && idx !== undefined && moved(idx)],
      draw: [(plot) => drawMarks(plot, { marks: marks(), ink: colour("ink"), paper: colour("paper"), font })],
    },
  };
}

/** As the canvas takes it: a variable may name a colour for each scheme. */
function colourOf(element: HTMLElement, name: string): string {
  const probe = element.appendChild(document.createElement("span"));
  probe.style.color = `var(--${name})`;
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

interface Ink {
  readonly marks: Series["marks"];
  readonly ink: string;
  readonly paper: string;
  readonly font: string;
}

/** A compaction is a fine line with its number in a flag; numbers that would cover each other are left out. */
function drawMarks({ ctx, bbox, valToPos }: uPlot, { marks, ink, paper, font }: Ink): void {
  const ratio = devicePixelRatio;
  let free = Number.NEGATIVE_INFINITY;
  ctx.save();
  ctx.font = font.replace("12px", `${11 * ratio}px`);
  ctx.textAlign = "center";
  ctx.textBaseline = "middle";
  ctx.setLineDash([]);
  for (const { place, label } of marks) {
    const x = Math.round(valToPos(place + 1, "x", true)) + 0.5;
    ctx.strokeStyle = ink;
    ctx.globalAlpha = 0.35;
    ctx.lineWidth = ratio;
    ctx.beginPath();
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
    ctx.globalAlpha = 1;
    const half = Math.max(8 * ratio, ctx.measureText(label).width / 2 + 4 * ratio);
    if (x - half < free) continue;
    free = x + half + 2 * ratio;
    ctx.fillStyle = ink;
    ctx.fillRect(x - half, bbox.top - 16 * ratio, half * 2, 16 * ratio);
    ctx.fillStyle = paper;
    ctx.fillText(label, x, bbox.top - 8 * ratio);
  }
  ctx.restore();
}

/** The context over time: what was sent, what everything would have been, the window and the trigger. */
export function ContextChart({ series, openMark }: { readonly series: Series; openMark(eventId: string): void }) {
  const { tokens, full, window, trigger } = series;
  const [most, limit, due] = [highest(tokens), highest(window), highest(trigger)];
  const top = Math.max(most, due);
  // A window that is much larger would press the curve to the ground.
  const isWindowNear = limit > 0 && limit <= top * 3;
  const ceiling = Math.max(1, isWindowNear ? Math.max(limit, top) : top) * 1.08;
  const isMore = full.some((value, index) => value > (tokens[index] ?? 0) * 1.02);
  const lines: Line[] = [
    {
      label: series.of === "requests" ? "sent" : "in view (estimate)",
      colour: "accent",
      values: tokens,
      width: 2,
      isFilled: true,
    },
    ...(isMore ? [{ label: "everything", colour: "quiet", values: full, dash: [1, 3] }] : []),
    ...(due > 0 ? [{ label: "trigger", colour: "warm", values: trigger, dash: [6, 3, 1, 3] }] : []),
    ...(isWindowNear ? [{ label: `window ${short(limit)}`, colour: "bad", values: window, dash: [8, 4] }] : []),
  ];
  const noun = series.of === "requests" ? "request" : "message";
  const readout = (place: number): string => {
    const mark = series.marks.findLast((each) => each.place === place);
    const parts = [
      `${noun} ${count(place + 1)}`,
      dateTime(series.at[place] ?? ""),
      `${count(tokens[place] ?? 0)} tokens`,
      ...(isMore ? [`everything would be ${count(full[place] ?? 0)}`] : []),
      ...(mark === undefined ? [] : [`compaction ${mark.label}`]),
    ];
    return parts.join(" · ");
  };
  const name =
    isWindowNear || limit === 0 ? "Context size, tokens" : `Context size, tokens (window ${short(limit)}, above)`;
  return <Chart name={name} series={series} lines={lines} ceiling={ceiling} readout={readout} openMark={openMark} />;
}

/** What each request read from the cache, wrote to it, and paid in full: one above the other. */
export function CacheChart({ series }: { readonly series: Series }) {
  const { read, written, plain } = series;
  const withWritten = read.map((value, index) => value + (written[index] ?? 0));
  const all = withWritten.map((value, index) => value + (plain[index] ?? 0));
  const isWritten = written.some((value) => value > 0);
  const lines: Line[] = [
    { label: "neither", colour: "bad", values: all, isFilled: true, isStep: true, width: 1 },
    ...(isWritten
      ? [
          {
            label: "written",
            colour: "warm",
            values: withWritten,
            isFilled: true,
            isStep: true,
            width: 1,
            dash: [4, 2],
          },
        ]
      : []),
    { label: "read from the cache", colour: "good", values: read, isFilled: true, isStep: true, width: 2 },
  ];
  const readout = (place: number): string =>
    [
      `request ${count(place + 1)}`,
      `${count(read[place] ?? 0)} read`,
      ...(isWritten ? [`${count(written[place] ?? 0)} written`] : []),
      `${count(plain[place] ?? 0)} neither`,
    ].join(" · ");
  return (
    <Chart
      name="Prompt cache, tokens"
      series={series}
      lines={lines}
      ceiling={highest(all) * 1.08 || 1}
      readout={readout}
    />
  );
}

function highest(values: readonly (number | null)[]): number {
  return values.reduce<number>((most, value) => Math.max(most, value ?? 0), 0);
}
