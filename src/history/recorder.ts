// On the main thread: turns changes into rows and hands them over in batches. Cheap, since it runs in the event loop.
import type { Clock, Timer } from "../core/clock.ts";
import type { Limits } from "../core/limits.ts";
import type { Log } from "../core/log.ts";
import type { SampleRows } from "./messages.ts";
import { LONGEST_TEXT_BYTES, storedOf, textBytes } from "./sample.ts";

const BATCH_SAMPLES = 500;
const BATCH_MS = 250;
/** Handed over and not taken yet; beyond, samples are dropped. */
const MOST_IN_FLIGHT = 200_000;
const MOST_TEXT_BYTES = 16 * 1_048_576;
/** Series are held in memory by the names of their attributes. */
const LONGEST_NAME = 255;
/** Names of attributes that were warned of; beyond, warnings are not worth their memory. */
const MOST_WARNED = 1000;

export interface Change {
  device_id: string;
  changed: readonly string[];
  current: Readonly<Record<string, unknown>>;
}

export interface Recorder extends Disposable {
  /** Samples that could not be kept. */
  readonly dropped: number;
  /** Samples handed over since the start. */
  readonly handedOver: number;
  record(change: Change): void;
  /** Hands over what has gathered. */
  handOver(): void;
  /** So many were taken. */
  taken(samples: number): void;
  /** Nothing that is in flight will be taken any more. */
  lost(): void;
}

export interface RecorderOptions {
  clock: Clock;
  log: Log;
  isExcluded: (deviceId: string, attribute: string) => boolean;
  post: (rows: SampleRows, samples: number) => void;
  /** Of texts that are handed over and not taken yet. */
  mostTextBytes?: number;
  limits?: Limits;
}

export function createRecorder(options: RecorderOptions): Recorder {
  const { clock, log, isExcluded, post, mostTextBytes = MOST_TEXT_BYTES, limits } = options;
  // Bytes, in the order of their handing over.
  const textOfBatches: number[] = [];
  const warned = new Set<string>();
  let rows: SampleRows = [];
  let gathered = 0;
  let gatheredText = 0;
  let inFlight = 0;
  let textInFlight = 0;
  let dropped = 0;
  let handedOver = 0;
  let overrun = false;
  let timer: Timer | undefined;

  function warn(deviceId: string, attribute: string, why: string): void {
    dropped++;
    const name = `${deviceId}/${attribute.slice(0, LONGEST_NAME)}`;
    if (warned.has(name) || warned.size >= MOST_WARNED) return;
    warned.add(name);
    log.warn(`an attribute is not recorded: ${why}`, { attribute: name });
  }

  function add(deviceId: string, attribute: string, value: unknown): void {
    const stored = storedOf(value);
    const text = typeof stored === "string" ? 0 : textBytes(stored);
    if (attribute.length > LONGEST_NAME)
      warn(deviceId, attribute, `its name is longer than ${LONGEST_NAME} characters`);
    else if (stored === "too_long") warn(deviceId, attribute, `its value is longer than ${LONGEST_TEXT_BYTES} bytes`);
    else if (stored === "no_number") warn(deviceId, attribute, "its value is not a finite number");
    else if (inFlight + gathered >= MOST_IN_FLIGHT) overflow();
    else if (text > 0 && textInFlight + gatheredText + text > mostTextBytes) overflow();
    else {
      rows.push(deviceId, attribute, clock.now(), stored.value, stored.type);
      gathered++;
      gatheredText += text;
    }
  }

  function overflow(): void {
    dropped++;
    if (!overrun) log.error("more changes than the history can take: samples are dropped", { waiting: inFlight });
    overrun = true;
    const message = "more changes than the history can take: some are not recorded";
    limits?.reached({ limit: "[history] max_waiting_mb", account: "all", message });
  }

  function handOver(): void {
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
    handedOver += samples;
    post(batch, samples);
  }

  return {
    get dropped() {
      return dropped;
    },
    get handedOver() {
      return handedOver;
    },
    record({ device_id, changed, current }) {
      for (const name of changed) {
        if (!isExcluded(device_id, name))
          add(device_id, name, Object.hasOwn(current, name) ? current[name] : undefined);
      }
      if (gathered >= BATCH_SAMPLES) handOver();
      else if (gathered > 0) timer ??= clock.after("history-batch", BATCH_MS, handOver);
    },
    handOver,
    taken(samples) {
      inFlight = Math.max(0, inFlight - samples);
      textInFlight -= textOfBatches.shift() ?? 0;
      if (overrun && inFlight < MOST_IN_FLIGHT / 2 && textInFlight < mostTextBytes / 2) {
        overrun = false;
        log.info("the history takes all changes again", { dropped });
      }
    },
    lost() {
      dropped += inFlight;
      inFlight = 0;
      textInFlight = 0;
      textOfBatches.length = 0;
    },
    [Symbol.dispose]() {
      timer?.[Symbol.dispose]();
    },
  };
}
