// On the main thread: turns changes into rows and posts them to the worker in batches. Must be cheap, as it runs in the event loop.
import type { Limits } from "../../kit/lifecycle/limits.ts";
import type { Log } from "../../kit/lifecycle/log.ts";
import type { Clock, Timer } from "../../kit/time/clock.ts";
import { MAX_TEXT_BYTES, storedOf, textBytes } from "./sample.ts";
import type { NameAt } from "./store/rename.ts";
import type { SampleRows } from "./worker-protocol.ts";

const BATCH_SAMPLES = 500;
const BATCH_MS = 250;
/** Posted and not acknowledged; above this samples are dropped. */
const MAX_IN_FLIGHT = 200_000;
const MAX_PENDING_TEXT_BYTES = 16 * 1_048_576;
/** The worker keeps the name of every attribute in memory. */
export const MAX_NAME = 255;
/** Attributes to warn about, each once; the list must not grow for ever. */
const MAX_WARNED = 1000;

export interface Change {
  device_id: string;
  changed: readonly string[];
  current: Readonly<Record<string, unknown>>;
}

export interface Recorder extends Disposable {
  /** Samples that were lost. */
  readonly dropped: number;
  /** Samples sent since the start. */
  readonly sent: number;
  /** `at`: epoch ms. */
  record(change: Change, at: number): void;
  /** Posts the samples of the current batch. */
  flush(): void;
  /** The worker has taken so many. */
  acknowledge(samples: number): void;
  /** The worker died: samples in flight are lost, unless the journal has them. */
  dropInFlight(): void;
  /** Forgets the current batch: the journal has it. */
  discard(): void;
}

export interface RecorderOptions {
  clock: Clock;
  log: Log;
  isExcluded: (deviceId: string, attribute: string) => boolean;
  /** What is called now what was reported under this name at that time; the name itself where absent. */
  nameAt?: NameAt;
  send: (rows: SampleRows, samples: number) => void;
  /** For texts that are sent and not acknowledged. */
  maxTextBytes?: number;
  limits?: Limits;
  /** A journal keeps what is in flight. */
  journaled?: boolean;
}

export function createRecorder(options: RecorderOptions): Recorder {
  const { clock, log, isExcluded, send, maxTextBytes = MAX_PENDING_TEXT_BYTES, limits, journaled = false } = options;
  const nameAt: NameAt = options.nameAt ?? ((_, attribute) => attribute);
  // Bytes of text in each batch in flight, in the order they were sent.
  const textOfBatches: number[] = [];
  const warned = new Set<string>();
  let rows: SampleRows = [];
  let gathered = 0;
  let gatheredText = 0;
  let inFlight = 0;
  let textInFlight = 0;
  let dropped = 0;
  let sent = 0;
  let overflowing = false;
  let timer: Timer | undefined;

  function skip(deviceId: string, attribute: string, why: string): void {
    dropped++;
    const name = `${deviceId}/${attribute.slice(0, MAX_NAME)}`;
    if (warned.has(name) || warned.size >= MAX_WARNED) return;
    warned.add(name);
    log.warn(`an attribute is not recorded: ${why}`, { attribute: name });
  }

  function add(deviceId: string, attribute: string, value: unknown, at: number): void {
    const stored = storedOf(value);
    const text = typeof stored === "string" ? 0 : textBytes(stored);
    if (attribute.length > MAX_NAME) skip(deviceId, attribute, `its name is longer than ${MAX_NAME} characters`);
    else if (stored === "too_long") skip(deviceId, attribute, `its value is longer than ${MAX_TEXT_BYTES} bytes`);
    else if (stored === "no_number") skip(deviceId, attribute, "its value is not a finite number");
    else if (inFlight + gathered >= MAX_IN_FLIGHT) overflow();
    else if (text > 0 && textInFlight + gatheredText + text > maxTextBytes) overflow();
    else {
      rows.push(deviceId, attribute, at, stored.value, stored.type);
      gathered++;
      gatheredText += text;
    }
  }

  function overflow(): void {
    dropped++;
    if (!overflowing) log.error("more changes than the history can record: samples are dropped", { waiting: inFlight });
    overflowing = true;
    const message = "more changes than the history can record: some are not recorded";
    limits?.reached({ limit: "[history] max_waiting_mb", account: "all", message });
  }

  function flush(): void {
    timer?.[Symbol.dispose]();
    timer = undefined;
    if (gathered === 0) return;
    const [batch, samples] = [rows, gathered];
    textOfBatches.push(gatheredText);
    textInFlight += gatheredText;
    rows = [];
    gathered = 0;
    gatheredText = 0;
    inFlight += samples;
    sent += samples;
    send(batch, samples);
  }

  return {
    get dropped() {
      return dropped;
    },
    get sent() {
      return sent;
    },
    record({ device_id, changed, current }, at) {
      for (const name of changed) {
        if (!isExcluded(device_id, name))
          add(device_id, nameAt(device_id, name, at), Object.hasOwn(current, name) ? current[name] : undefined, at);
      }
      if (gathered >= BATCH_SAMPLES) flush();
      else if (gathered > 0) timer ??= clock.after("history-batch", BATCH_MS, flush);
    },
    flush,
    acknowledge(samples) {
      inFlight = Math.max(0, inFlight - samples);
      textInFlight -= textOfBatches.shift() ?? 0;
      if (overflowing && inFlight < MAX_IN_FLIGHT / 2 && textInFlight < maxTextBytes / 2) {
        overflowing = false;
        log.info("the history records all changes again", { dropped });
      }
    },
    dropInFlight() {
      if (!journaled) dropped += inFlight;
      inFlight = 0;
      textInFlight = 0;
      textOfBatches.length = 0;
    },
    discard() {
      rows = [];
      gathered = 0;
      gatheredText = 0;
    },
    [Symbol.dispose]() {
      timer?.[Symbol.dispose]();
    },
  };
}
