// Where devices report more than may be written in a day, what changes most often is recorded now and then only: each change takes part
// in the house, and its value is recorded when its turn comes. Whose last record is the oldest is next, so that what changes rarely
// is recorded at once, whatever floods beside it.
import type { WriteBudget } from "../../kit/files/write-budget.ts";
import type { Clock, Timer } from "../../kit/time/clock.ts";

export interface Sampling extends Disposable {
  /** Which of the attributes that changed are recorded now. `changed`: the list of the event that is emitted next. */
  admit(deviceId: string, changed: readonly string[]): readonly string[];
  /** The same of a list that was asked about before; all of any other. */
  admitted(changed: readonly string[]): readonly string[];
  /** Called where it is the turn of attributes that were left out. */
  onDue(listener: (deviceId: string, attributes: readonly string[]) => void): void;
  removed(deviceId: string): void;
  /** Undefined while every change is recorded. */
  now(): SampledNow | undefined;
}

export interface SampledNow {
  /** Devices whose changes were left out, those with most first. */
  devices: readonly string[];
  /** About how many seconds lie between two records of what changes all the time. */
  everySecs: number;
}

export interface SamplingOptions {
  clock: Clock;
  budget: Pick<WriteBudget, "sparing" | "bytesPerMs" | "debt" | "written">;
}

/** What a record costs, all in all, until that was measured; see test/bench/write-allowance.ts. */
const FIRST_BYTES = 250;
/** Checkpointing comes in lumps, so what records cost is known of whole hours only. */
const HOUR_MS = 3_600_000;
/** Of fewer in an hour it means nothing: most of what is written is something else. */
const FEW_RECORDS = 2000;
/** What a house may report at once before anything is left out: most of what that costs is written later, so it is reckoned beforehand. */
const AT_ONCE_MS = 900_000;
const TURN_MS = 1000;
/** So long nothing was left out before all is recorded again. */
const CALM_MS = 600_000;
/** What may be recorded at once, in seconds of the rate. */
const SAVED_SECS = 10;
/** Kept back from those who wait, for what changes rarely. */
const RESERVE = 0.2;
/** However little may be written, so many changes a second are recorded. */
const LEAST_PER_SEC = 0.1;

interface Series {
  deviceId: string;
  attribute: string;
  /** Monotonic ms. */
  recordedAt: number;
  leftOut: number;
}

export function createSampling({ clock, budget }: SamplingOptions): Sampling {
  const series = new Map<string, Map<string, Series>>();
  const decided = new WeakMap<readonly string[], readonly string[]>();
  const waiting = new Set<Series>();
  let onDue: Parameters<Sampling["onDue"]>[0] = () => {};
  let timer: Timer | undefined;
  const isCounted = budget.bytesPerMs !== undefined && budget.written() !== undefined;
  const evenly = budget.bytesPerMs ?? 0;
  /** Bytes, while everything is recorded. */
  let left = evenly * AT_ONCE_MS;
  let leftAt = clock.mono();
  let lookedAt = Number.NEGATIVE_INFINITY;
  let turnAt = 0;
  let leftOutAt = 0;
  let tokens = 0;
  /** Bytes of a record, with all else that the hub writes meanwhile. */
  let each = FIRST_BYTES;
  const hour = { since: clock.mono(), written: budget.written() ?? 0, records: 0 };
  let debt = 0;
  let begunAt = 0;
  /** Of those who wait, the last record that is the oldest. */
  let oldest = Number.POSITIVE_INFINITY;

  function perSecond(): number {
    const madeUp = clock.mono() - begunAt < HOUR_MS ? debt / HOUR_MS : 0;
    return Math.max(LEAST_PER_SEC, ((evenly - madeUp) * 1000) / each);
  }

  function isTooMuch(records: number, now: number): boolean {
    if (!isCounted) return false;
    hour.records += records;
    left = Math.min(evenly * AT_ONCE_MS, left + evenly * (now - leftAt)) - records * Math.min(FIRST_BYTES, each);
    leftAt = now;
    if (left < 0) return true;
    if (now - lookedAt < TURN_MS) return false;
    lookedAt = now;
    measure(now);
    return budget.sparing;
  }

  function begin(now: number): void {
    [turnAt, leftOutAt, begunAt, tokens] = [now, now, now, 1];
    // What was recorded at once is made up for within an hour: most of it is written later.
    debt = Math.max(budget.debt(), evenly * AT_ONCE_MS - Math.max(0, left));
    timer = clock.every("sampling", TURN_MS, turn);
  }

  function end(): void {
    timer?.[Symbol.dispose]();
    timer = undefined;
    series.clear();
    [left, leftAt] = [0, clock.mono()];
  }

  function measure(now: number): void {
    if (now - hour.since < HOUR_MS) return;
    const written = budget.written() ?? 0;
    if (hour.records >= FEW_RECORDS) each = (each + (written - hour.written) / hour.records) / 2;
    Object.assign(hour, { since: now, written, records: 0 });
    if (timer) [debt, begunAt] = [budget.debt(), now];
  }

  function turn(): void {
    const now = clock.mono();
    measure(now);
    const rate = perSecond();
    const most = Math.max(2, rate * SAVED_SECS);
    tokens = Math.min(most, tokens + (rate * (now - turnAt)) / 1000);
    turnAt = now;
    const next = [...waiting].sort((a, b) => a.recordedAt - b.recordedAt);
    const taken = next.splice(0, Math.max(0, Math.floor(tokens - (next.length > 1 ? most * RESERVE : 0))));
    oldest = next[0]?.recordedAt ?? Number.POSITIVE_INFINITY;
    for (const one of taken) record(one, now);
    for (const [deviceId, ones] of Map.groupBy(taken, (one) => one.deviceId))
      onDue(
        deviceId,
        ones.map(({ attribute }) => attribute),
      );
    if (waiting.size === 0 && now - leftOutAt >= CALM_MS && !budget.sparing) end();
  }

  function record(one: Series, now: number): void {
    tokens--;
    hour.records++;
    one.recordedAt = now;
    waiting.delete(one);
  }

  function seriesOf(deviceId: string, attribute: string): Series {
    let ofDevice = series.get(deviceId);
    if (!ofDevice) {
      ofDevice = new Map();
      series.set(deviceId, ofDevice);
    }
    let one = ofDevice.get(attribute);
    if (!one) {
      one = { deviceId, attribute, recordedAt: Number.NEGATIVE_INFINITY, leftOut: 0 };
      ofDevice.set(attribute, one);
    }
    return one;
  }

  function isTurnOf(one: Series): boolean {
    if (tokens >= 1 && one.recordedAt < oldest) return true;
    one.leftOut++;
    waiting.add(one);
    leftOutAt = clock.mono();
    return false;
  }

  return {
    admit(deviceId, changed) {
      const now = clock.mono();
      if (!timer && !isTooMuch(changed.length, now)) return changed;
      if (!timer) begin(now);
      const all = changed.map((attribute) => seriesOf(deviceId, attribute)).filter(isTurnOf);
      for (const one of all) record(one, now);
      const admitted = all.map(({ attribute }) => attribute);
      decided.set(changed, admitted);
      return admitted;
    },
    admitted: (changed) => decided.get(changed) ?? changed,
    onDue(listener) {
      onDue = listener;
    },
    removed(deviceId) {
      for (const one of series.get(deviceId)?.values() ?? []) waiting.delete(one);
      series.delete(deviceId);
    },
    now() {
      if (!timer) return undefined;
      const busy = [...series].map(([id, all]): [string, number] => [
        id,
        sum([...all.values()].map((one) => one.leftOut)),
      ]);
      const sampled = busy.filter(([, count]) => count > 0).sort(([, a], [, b]) => b - a);
      if (sampled.length === 0) return undefined;
      const count = sum([...series.values()].map((all) => [...all.values()].filter((one) => one.leftOut > 0).length));
      return { devices: sampled.map(([id]) => id), everySecs: Math.max(1, Math.round(count / perSecond())) };
    },
    [Symbol.dispose]: end,
  };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
