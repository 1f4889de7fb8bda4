// What the activity view lists: the past out of GET /events, then what the stream brings, newest first. A flood is taken in a few
// times a second, and only the newest are kept.
import { batch, computed, type ReadonlySignal, signal } from "@preact/signals";
import { ask } from "../../state/hub/api.ts";
import { connection, type HubEvent, listen } from "../../state/hub/live.ts";

export interface FeedFilter {
  /** Empty: all types. */
  types: readonly string[];
  deviceId: string;
}

export interface Feed extends Disposable {
  /** Newest first. Lost events are an entry of the type `stream_gap`, with `from` where it is known. */
  readonly entries: ReadonlySignal<readonly HubEvent[]>;
  readonly isRead: ReadonlySignal<boolean>;
  readonly hasOlder: ReadonlySignal<boolean>;
  readonly isReading: ReadonlySignal<boolean>;
  readonly problem: ReadonlySignal<unknown>;
  /** How many came while it is held. */
  readonly waiting: ReadonlySignal<number>;
  hold: (isHeld: boolean) => void;
  readOlder: () => Promise<void>;
}

export const MAX_ENTRIES = 2000;
const PAGE = 200;
const MAX_PAGE = 1000;
// A single event is shown with the next frame; of a flood nobody can read more.
const APART_MS = 150;

export function openFeed(filter: FeedFilter): Feed {
  const entries = signal<readonly HubEvent[]>([]);
  const isRead = signal(false);
  const isReading = signal(false);
  const older = signal<number | undefined>(undefined);
  const problem = signal<unknown>(undefined);
  const waiting = signal(0);
  let arrived: HubEvent[] = [];
  let count = 0;
  let frame = 0;
  let soon: ReturnType<typeof setTimeout> | undefined;
  let shownAt = 0;
  let isHeld = false;
  let isOver = false;

  function take(event: HubEvent): void {
    if (!fits(filter, event)) return;
    arrived.push(event.type === "stream_gap" ? gapAfter(event, arrived.at(-1) ?? entries.peek()[0]) : event);
    if (arrived.length > 2 * MAX_ENTRIES) arrived = arrived.slice(-MAX_ENTRIES);
    count++;
    showSoon();
  }

  function showSoon(): void {
    if (soon !== undefined) return;
    soon = setTimeout(
      () => {
        frame = requestAnimationFrame(show);
      },
      Math.max(0, shownAt + APART_MS - performance.now()),
    );
  }

  function show(): void {
    soon = undefined;
    shownAt = performance.now();
    if (isOver || !isRead.peek()) return;
    if (isHeld) {
      waiting.value = count;
      return;
    }
    const newest = entries.peek()[0]?.seq ?? 0;
    const fresh = arrived.filter(({ seq }) => seq > newest).reverse();
    arrived = [];
    count = 0;
    batch(() => {
      waiting.value = 0;
      if (fresh.length > 0) keep([...fresh, ...entries.peek()]);
    });
  }

  function keep(all: readonly HubEvent[]): void {
    if (all.length > MAX_ENTRIES) older.value = undefined;
    entries.value = all.slice(0, MAX_ENTRIES);
  }

  async function read(query: Record<string, number>): Promise<void> {
    isReading.value = true;
    try {
      const page = await readPage(filter, query);
      if (isOver) return;
      batch(() => {
        problem.value = undefined;
        const isWhole = query.since === undefined || page.next === undefined;
        // A page of newer ones says nothing about what is before the oldest, unless it does not reach back to them.
        if (query.since === undefined || !isWhole) older.value = page.next;
        keep(merged(isWhole ? entries.peek() : [], page.events));
        isRead.value = true;
        isReading.value = false;
      });
      show();
    } catch (error) {
      if (isOver) return;
      problem.value = error;
      isReading.value = false;
    }
  }

  const stop = listen(take);
  // What the stream does not bring again after it was away is read.
  const ends = connection.subscribe(({ state }) => {
    const newest = entries.peek()[0]?.seq;
    if (isRead.peek() ? state === "live" : !isReading.peek()) void read(newest === undefined ? {} : { since: newest });
  });

  return {
    entries,
    isRead,
    isReading,
    problem,
    waiting,
    hasOlder: computed(() => older.value !== undefined),
    hold(next) {
      if (next === isHeld) return;
      isHeld = next;
      showSoon();
    },
    async readOlder() {
      if (older.peek() !== undefined && !isReading.peek()) await read({ before: older.peek() ?? 0 });
    },
    [Symbol.dispose]() {
      isOver = true;
      clearTimeout(soon);
      cancelAnimationFrame(frame);
      stop();
      ends();
    },
  };
}

/** A gap is for everybody: what is lost might have fitted. */
function fits({ types, deviceId }: FeedFilter, { type, device_id: id }: HubEvent): boolean {
  if (type === "stream_gap") return true;
  return (types.length === 0 || types.includes(type)) && (deviceId === "" || id === deviceId);
}

function gapAfter(gap: HubEvent, before: HubEvent | undefined): HubEvent {
  const seq = Number(gap.to_seq ?? (before?.seq ?? 0) + 0.5);
  return { ...gap, seq, ...(before && gap.reason === undefined && { from: before.timestamp }) };
}

function merged(some: readonly HubEvent[], more: readonly HubEvent[]): HubEvent[] {
  const bySeq = new Map([...some, ...more].map((event) => [event.seq, event]));
  return [...bySeq.values()].sort((a, b) => b.seq - a.seq);
}

async function readPage(
  { types, deviceId }: FeedFilter,
  range: Record<string, number>,
): Promise<{ events: HubEvent[]; next: number | undefined }> {
  const query = new URLSearchParams({ limit: String(range.since === undefined ? PAGE : MAX_PAGE) });
  if (types.length > 0) query.set("type", types.join(","));
  if (deviceId !== "") query.set("device_id", deviceId);
  for (const [name, value] of Object.entries(range)) query.set(name, String(value));
  const answer = await ask("GET", `/events?${query}`);
  const next = /[?&]before=(\d+)/.exec(answer.headers.get("link") ?? "")?.[1];
  const events = ((await answer.json()) as HubEvent[]).map((event) =>
    event.type === "stream_gap" ? gapAfter(event, undefined) : event,
  );
  return { events, next: next === undefined ? undefined : Number(next) };
}
