// A drag over a tile sets its level: a full width is the full range, from where it is.
import type { Signal } from "@preact/signals";
import { useRef } from "preact/hooks";
import type { Range } from "../../model/device/controls.ts";

const BEGINS_PX = 10;

export interface DimmingOptions {
  level: Range | undefined;
  isOn: boolean;
  dragged: Signal<number | undefined>;
  onSet: (value: number) => void;
}

interface Drag {
  x: number;
  y: number;
  width: number;
  /** Undefined while it may still become a touch, or a scroll. */
  from: number | undefined;
}

export function useDimming({ level, isOn, dragged, onSet }: DimmingOptions) {
  const drag = useRef<Drag>(undefined);
  const justDragged = useRef(false);

  function begin(event: PointerEvent): void {
    justDragged.current = false;
    if (!level || event.button !== 0) return;
    const tile = (event.currentTarget as HTMLElement).closest(".tile");
    drag.current = { x: event.clientX, y: event.clientY, width: tile?.clientWidth ?? 148, from: undefined };
  }

  function move(event: PointerEvent): void {
    const now = drag.current;
    if (!now || !level) return;
    const [dx, dy] = [event.clientX - now.x, event.clientY - now.y];
    if (now.from === undefined) {
      if (Math.abs(dx) < BEGINS_PX || Math.abs(dx) < Math.abs(dy)) return;
      now.from = isOn ? (level.value ?? level.min) : level.min;
      (event.currentTarget as HTMLElement).setPointerCapture(event.pointerId);
    }
    const span = level.max - level.min;
    const next = now.from + (dx / now.width) * span;
    const stepped = Math.round(next / level.step) * level.step;
    dragged.value = Math.min(level.max, Math.max(level.min, stepped));
  }

  function end(): void {
    const value = dragged.peek();
    if (drag.current?.from !== undefined && value !== undefined) {
      justDragged.current = true;
      onSet(value);
    }
    cancel();
  }

  function cancel(): void {
    drag.current = undefined;
    dragged.value = undefined;
  }

  return {
    handlers: { onPointerDown: begin, onPointerMove: move, onPointerUp: end, onPointerCancel: cancel },
    /** The browser makes a click of the end of a drag. A key's click has no detail. */
    wasDrag: ({ detail }: MouseEvent): boolean => detail > 0 && justDragged.current,
  };
}
