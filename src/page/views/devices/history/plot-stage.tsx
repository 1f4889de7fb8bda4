// The ground that plots and bars of one time stand on: a cursor over all of them, zoom by dragging, pinching and keys.

import type { ComponentChildren } from "preact";
import { useRef, useState } from "preact/hooks";
import { nightsIn } from "../../../model/place/sun-times.ts";
import type { Window } from "../../../model/plot/track.ts";
import { place } from "../../../state/house/place.ts";
import { EDGE } from "./plot-options.ts";

interface PlotStageProps {
  window: Window;
  /** Epoch ms; undefined where nobody points. */
  cursor: number | undefined;
  onCursor: (at: number | undefined) => void;
  onZoom: (window: Window) => void;
  /** For the keyboard's cursor. */
  label: string;
  textAt: (at: number) => string;
  children: ComponentChildren;
}

const KEY_STEPS = 200;
const SHORTEST_DRAG_PX = 8;

export function PlotStage({ window, cursor, onCursor, onZoom, label, textAt, children }: PlotStageProps) {
  const root = useRef<HTMLDivElement>(null);
  const pointers = useRef(new Map<number, { began: number; x: number }>());
  const pinch = useRef<{ low: number; high: number; window: Window }>(undefined);
  const [drag, setDrag] = useState<{ from: number; to: number }>();
  const span = window.to - window.from;

  /** From 0 to 1 within the plotting area. */
  function shareAt(clientX: number): number {
    const box = root.current?.getBoundingClientRect();
    if (!box) return 0;
    const share = (clientX - box.left - EDGE.left) / Math.max(1, box.width - EDGE.left - EDGE.right);
    return Math.min(1, Math.max(0, share));
  }
  const momentAt = (clientX: number): number => window.from + shareAt(clientX) * span;

  function down(event: PointerEvent): void {
    if (event.button !== 0) return;
    root.current?.setPointerCapture(event.pointerId);
    pointers.current.set(event.pointerId, { began: event.clientX, x: event.clientX });
    onCursor(momentAt(event.clientX));
    if (pointers.current.size === 2) {
      const [low, high] = fingers();
      pinch.current = { low, high, window };
      setDrag(undefined);
    }
  }

  function fingers(): [number, number] {
    const shares = [...pointers.current.values()].map(({ x }) => shareAt(x));
    return [Math.min(...shares), Math.max(...shares)];
  }

  function move(event: PointerEvent): void {
    const pointer = pointers.current.get(event.pointerId);
    if (pointer) pointer.x = event.clientX;
    if (pinch.current) return;
    onCursor(momentAt(event.clientX));
    if (pointer && Math.abs(pointer.x - pointer.began) >= SHORTEST_DRAG_PX)
      setDrag({ from: shareAt(Math.min(pointer.began, pointer.x)), to: shareAt(Math.max(pointer.began, pointer.x)) });
  }

  function up(event: PointerEvent): void {
    const ended = pinch.current;
    if (ended && pointers.current.size === 2) {
      const zoomed = pinched(ended, fingers());
      pinch.current = undefined;
      pointers.current.clear();
      onZoom(zoomed);
      return;
    }
    pointers.current.delete(event.pointerId);
    if (drag) onZoom({ from: window.from + drag.from * span, to: window.from + drag.to * span });
    setDrag(undefined);
  }

  function cancel(event: PointerEvent): void {
    pointers.current.delete(event.pointerId);
    pinch.current = undefined;
    setDrag(undefined);
  }

  const shown =
    cursor !== undefined && cursor >= window.from && cursor <= window.to ? (cursor - window.from) / span : undefined;
  return (
    <div
      class="stage"
      ref={root}
      onPointerDown={down}
      onPointerMove={move}
      onPointerUp={up}
      onPointerCancel={cancel}
      onPointerLeave={({ pointerType }) => pointerType === "mouse" && !drag && onCursor(undefined)}
    >
      <Nights window={window} />
      {children}
      <div class="plot-area" aria-hidden="true">
        {shown !== undefined && <div class="cursor" style={{ left: `${shown * 100}%` }} />}
        {drag && <div class="selection" style={{ left: `${drag.from * 100}%`, right: `${(1 - drag.to) * 100}%` }} />}
      </div>
      <input
        type="range"
        class="scrubber"
        min={0}
        max={KEY_STEPS}
        value={Math.round((shown ?? 1) * KEY_STEPS)}
        aria-label={label}
        aria-valuetext={textAt(cursor ?? window.to)}
        onInput={({ currentTarget }) => onCursor(window.from + (currentTarget.valueAsNumber / KEY_STEPS) * span)}
        onPointerDown={(event) => event.stopPropagation()}
        onKeyDown={(event) => {
          if (event.key === "Escape") onCursor(undefined);
          else if (event.key === "+" || event.key === "-") zoomByKey(event.key === "+" ? 0.5 : 2);
        }}
      />
    </div>
  );

  function zoomByKey(by: number): void {
    const center = cursor ?? window.to;
    onZoom({ from: center - (center - window.from) * by, to: center + (window.to - center) * by });
  }
}

/** Behind everything, so that evenings are found at a glance. */
function Nights({ window }: { window: Window }) {
  const nights = place.value ? nightsIn(place.value, window) : [];
  const share = (ms: number): string => `${(ms / (window.to - window.from)) * 100}%`;
  return (
    <div class="plot-area nights" aria-hidden="true">
      {nights.map(({ from, to }) => (
        <div key={to} class="night" style={{ left: share(from - window.from), width: share(to - from) }} />
      ))}
    </div>
  );
}

/** What was under the fingers stays under them. */
function pinched({ low, high, window }: { low: number; high: number; window: Window }, now: [number, number]): Window {
  const span = window.to - window.from;
  const [from, to] = [window.from + low * span, window.from + high * span];
  const scale = (to - from) / Math.max(0.02, now[1] - now[0]);
  const start = from - now[0] * scale;
  return { from: start, to: start + scale };
}
