// The last day of a value as a small line. Read when it is seen, two at a time, and kept for a while.
import { type Signal, signal, useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { get } from "../../state/hub/api.ts";

const KEPT_MS = 15 * 60_000;
const AT_ONCE = 2;
const [WIDTH, HEIGHT] = [120, 28];

interface Sample {
  timestamp: string;
  value: unknown;
}
type Point = readonly [at: number, value: number];

const kept = new Map<string, { points: Signal<readonly Point[] | undefined>; readAt: number }>();
const enqueue = createQueue(AT_ONCE);

/** Does so many at a time, in their order. */
function createQueue(atOnce: number): (work: () => Promise<void>) => void {
  const queue: (() => Promise<void>)[] = [];
  let running = 0;
  function next(): void {
    const work = running < atOnce ? queue.shift() : undefined;
    if (!work) return;
    running++;
    void work()
      // No line is drawn where the hub has none; the value beside it stands for itself.
      .catch(() => {})
      .finally(() => {
        running--;
        next();
      });
  }
  return (work) => {
    queue.push(work);
    next();
  };
}

function pointsOf(id: string, attribute: string): Signal<readonly Point[] | undefined> {
  const key = `${id}/${attribute}`;
  const found = kept.get(key);
  if (found && Date.now() - found.readAt < KEPT_MS) return found.points;
  const points = found?.points ?? signal<readonly Point[] | undefined>(undefined);
  kept.set(key, { points, readAt: Date.now() });
  enqueue(async () => {
    const query = new URLSearchParams({ attribute, bucket: "15m" });
    const samples = await get<Sample[]>(`/devices/${encodeURIComponent(id)}/history?${query}`);
    points.value = samples.flatMap(({ timestamp, value }): Point[] =>
      typeof value === "number" ? [[Date.parse(timestamp), value]] : [],
    );
  });
  return points;
}

export function Sparkline({ id, attribute }: { id: string; attribute: string }) {
  const place = useRef<SVGSVGElement>(null);
  const points = useSignal<Signal<readonly Point[] | undefined> | undefined>(undefined);
  useEffect(() => {
    if (!place.current) return;
    const observer = new IntersectionObserver(([entry]) => {
      if (entry?.isIntersecting) points.value = pointsOf(id, attribute);
    });
    observer.observe(place.current);
    return () => observer.disconnect();
  }, [id, attribute]);
  const found = points.value?.value;
  return (
    <svg ref={place} class="sparkline" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
      {found && found.length > 1 && <path d={lineThrough(found)} vector-effect="non-scaling-stroke" />}
    </svg>
  );
}

function lineThrough(points: readonly Point[]): string {
  const values = points.map(([, value]) => value);
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const [from, to] = [points[0]?.[0] ?? 0, points.at(-1)?.[0] ?? 1];
  // A flat line lies in the middle.
  const height = (value: number): number =>
    most === least ? HEIGHT / 2 : HEIGHT - 2 - ((value - least) / (most - least)) * (HEIGHT - 4);
  const places = points.map(
    ([at, value]) => `${(((at - from) / Math.max(1, to - from)) * WIDTH).toFixed(1)},${height(value).toFixed(1)}`,
  );
  return `M${places.join("L")}`;
}
