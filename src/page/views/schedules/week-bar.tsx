// The hours of one day of a schedule, as blocks whose edges can be dragged, or moved with the arrow keys.
import { useRef } from "preact/hooks";
import {
  DAY_MINUTES,
  DAYS,
  type Day,
  dayName,
  type Edge,
  limitsOf,
  minutesOf,
  type Stretch,
  timeOf,
  type Week,
} from "../../model/place/week-plan.ts";
import { t } from "../../texts/index.ts";

interface DayBarProps {
  week: Week;
  day: Day;
  disabled: boolean;
  /** `minutes`: of the day on which the stretch begins. */
  onMove: (day: Day, index: number, edge: Edge, minutes: number) => void;
}

/** A part of a stretch that is on this day. */
interface Block {
  /** On which the stretch begins: this day, or the one before. */
  begins: Day;
  index: number;
  stretch: Stretch;
  from: number;
  to: number;
  /** Those of its edges that are on this day. */
  edges: readonly Edge[];
}

export function DayBar({ week, day, disabled, onMove }: DayBarProps) {
  return (
    <div class="day-bar">
      {blocksOf(week, day).map(({ begins, index, stretch, from, to, edges }) => (
        <div
          key={`${begins} ${index}`}
          class="block"
          style={{ insetInlineStart: share(from), width: share(to - from) }}
        >
          {!disabled &&
            edges.map((edge) => (
              <EdgeHandle
                key={edge}
                {...{ stretch, begins, index, edge }}
                /** Of the bar's own day. */
                shift={begins === day ? 0 : DAY_MINUTES}
                onMove={(minutes) => onMove(begins, index, edge, minutes)}
              />
            ))}
        </div>
      ))}
    </div>
  );
}

const share = (minutes: number): string => `${(minutes / DAY_MINUTES) * 100}%`;

function blocksOf(week: Week, day: Day): Block[] {
  const before = DAYS[(DAYS.indexOf(day) + DAYS.length - 1) % DAYS.length] ?? day;
  const own = week[day].map((stretch, index): Block => {
    const [from, to] = minutesOf(stretch);
    const isOver = to > DAY_MINUTES;
    return {
      begins: day,
      index,
      stretch,
      from,
      to: Math.min(to, DAY_MINUTES),
      edges: isOver ? ["from"] : ["from", "to"],
    };
  });
  const rest = week[before].flatMap((stretch, index): Block[] => {
    const to = minutesOf(stretch)[1] - DAY_MINUTES;
    // A stretch without a length ends on the next day at the time it begins.
    return to > 0 ? [{ begins: before, index, stretch, from: 0, to, edges: ["to"] }] : [];
  });
  return [...rest, ...own];
}

interface EdgeHandleProps {
  stretch: Stretch;
  begins: Day;
  index: number;
  edge: Edge;
  /** Minutes from the day on which the stretch begins to the day of the bar. */
  shift: number;
  onMove: (minutes: number) => void;
}

const [STEP, FINE, HOUR] = [15, 1, 60];

function EdgeHandle({ stretch, begins, index, edge, shift, onMove }: EdgeHandleProps) {
  const [least, most] = limitsOf(stretch, edge);
  const now = minutesOf(stretch)[edge === "from" ? 0 : 1];
  const id = `edge-${begins}-${index}-${edge}`;
  /** From the edge to where the finger holds it, in pixels. */
  const grip = useRef(0);

  const barOf = (handle: HTMLElement) => handle.closest(".day-bar")?.getBoundingClientRect() ?? new DOMRect();

  function grasp(event: PointerEvent): void {
    if (event.button !== 0) return;
    const handle = event.currentTarget as HTMLElement;
    const { left, width } = barOf(handle);
    grip.current = event.clientX - left - ((now - shift) / DAY_MINUTES) * width;
    handle.focus();
    handle.setPointerCapture(event.pointerId);
  }

  function drag(event: PointerEvent): void {
    const handle = event.currentTarget as HTMLElement;
    if (!handle.hasPointerCapture(event.pointerId)) return;
    const { left, width } = barOf(handle);
    const at = ((event.clientX - left - grip.current) / width) * DAY_MINUTES;
    // Over midnight it would leave the bar, and with it the finger.
    if (width > 0) onMove(shift + Math.min(DAY_MINUTES, Math.max(shift === 0 ? 0 : STEP, onGrid(at))));
  }

  function press(event: KeyboardEvent): void {
    const next = moved(event, now, [least, most]);
    if (next === undefined) return;
    event.preventDefault();
    onMove(next);
    // Over midnight it is on another day's bar.
    requestAnimationFrame(() => document.getElementById(id)?.focus());
  }

  return (
    <button
      type="button"
      role="slider"
      id={id}
      class={`edge ${edge}`}
      aria-label={`${t(`schedule.${edge}`)}: ${dayName(begins)}, ${stretch.from}–${stretch.to}`}
      aria-valuemin={least}
      aria-valuemax={most}
      aria-valuenow={now}
      aria-valuetext={timeOf(now)}
      onPointerDown={grasp}
      onPointerMove={drag}
      onKeyDown={press}
    />
  );
}

const onGrid = (minutes: number): number => Math.round(minutes / STEP) * STEP;

/** Where the key moves it; undefined for a key that is not for it. */
function moved(
  { key, shiftKey, ctrlKey, altKey, metaKey }: KeyboardEvent,
  now: number,
  [least, most]: [number, number],
): number | undefined {
  if (ctrlKey || altKey || metaKey) return undefined;
  const step = shiftKey ? FINE : STEP;
  switch (key) {
    case "ArrowLeft":
    case "ArrowDown":
      return (Math.ceil(now / step) - 1) * step;
    case "ArrowRight":
    case "ArrowUp":
      return (Math.floor(now / step) + 1) * step;
    case "PageDown":
      return now - HOUR;
    case "PageUp":
      return now + HOUR;
    case "Home":
      return least;
    case "End":
      return most;
    default:
      return undefined;
  }
}
