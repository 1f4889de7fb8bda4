// Draws of a long list only what can be seen: rows of one height, with room above and below for the others.
import { useLayoutEffect, useState } from "preact/hooks";

export interface Seen {
  first: number;
  /** Not included. */
  end: number;
}

/** Rows beyond the edges, so that keys and quick thumbs find some. */
const SPARE = 12;

export function useWindow(root: { current: HTMLElement | null }, count: number, rowPx: number): Seen {
  const [seen, setSeen] = useState<Seen>({ first: 0, end: Math.min(count, 40) });
  useLayoutEffect(() => {
    let frame = 0;
    function look(): void {
      frame = 0;
      const top = root.current?.getBoundingClientRect().top ?? 0;
      const first = Math.max(0, Math.floor(-top / rowPx) - SPARE);
      const end = Math.min(count, Math.ceil((innerHeight - top) / rowPx) + SPARE);
      setSeen((before) =>
        before.first === first && before.end === end ? before : { first, end: Math.max(first, end) },
      );
    }
    function soon(): void {
      frame ||= requestAnimationFrame(look);
    }
    look();
    for (const name of ["scroll", "resize"]) addEventListener(name, soon, { passive: true });
    return () => {
      cancelAnimationFrame(frame);
      for (const name of ["scroll", "resize"]) removeEventListener(name, soon);
    };
  }, [root, count, rowPx]);
  return { first: Math.min(seen.first, count), end: Math.min(seen.end, count) };
}
