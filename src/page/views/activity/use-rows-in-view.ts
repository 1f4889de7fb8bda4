// Which rows of a long list the window shows, where all have one height but the one that is open.
import type { RefObject } from "preact";
import { useEffect, useState } from "preact/hooks";

export interface Rows {
  count: number;
  /** Px. */
  height: number;
  /** -1: none. */
  openAt: number;
  /** Px that the open one has more. */
  openExtra: number;
}

const AROUND = 8;

export function topOf(index: number, { height, openAt, openExtra }: Rows): number {
  return index * height + (openAt >= 0 && index > openAt ? openExtra : 0);
}

/** `from` to `to` (not included); `above`: px of the list that are above the window. */
export function useRowsInView(
  list: RefObject<HTMLElement | null>,
  rows: Rows,
): { from: number; to: number; above: number } {
  const [view, setView] = useState({ above: 0, height: innerHeight });
  useEffect(() => {
    let frame = 0;
    function measure(): void {
      frame = 0;
      const above = -(list.current?.getBoundingClientRect().top ?? 0);
      setView((before) =>
        before.above === above && before.height === innerHeight ? before : { above, height: innerHeight },
      );
    }
    const soon = (): void => {
      frame ||= requestAnimationFrame(measure);
    };
    soon();
    for (const name of ["scroll", "resize"]) addEventListener(name, soon, { passive: true });
    // What is above the list may open and close.
    const observer = new ResizeObserver(soon);
    observer.observe(document.body);
    return () => {
      observer.disconnect();
      cancelAnimationFrame(frame);
      for (const name of ["scroll", "resize"]) removeEventListener(name, soon);
    };
  }, [list]);
  const extra = rows.openAt >= 0 ? rows.openExtra : 0;
  const from = Math.max(0, Math.floor((view.above - extra) / rows.height) - AROUND);
  const to = Math.min(rows.count, Math.ceil((view.above + view.height) / rows.height) + AROUND);
  return { from: Math.min(from, rows.count), to: Math.max(to, 0), above: view.above };
}
