// The pictures of devices: what cameras show, the newest in memory at once and the last ones on disk. The door of this room; who
// brings them, and who may see them, is for others.
import type { WriteBudget } from "../../kit/files/write-budget.ts";
import type { Log } from "../../kit/lifecycle/log.ts";
import { readPicture } from "../../kit/text/picture-type.ts";
import type { Clock, Timer } from "../../kit/time/clock.ts";
import { createCardWriter } from "./card-writer.ts";
import type { PicturesSection } from "./config.ts";
import { createFetches, type FetchPicture } from "./fetches.ts";
import { type KeptPicture, kindOf, type Shot, shotOf } from "./picture.ts";
import { createPictureRing } from "./ring.ts";

/** What a message of a device brings. */
export interface BroughtPicture {
  readonly deviceId: string;
  /** Which of its pictures: `person`, or nothing. */
  readonly of: string;
  /** The picture itself, as it came, or the address where it is. */
  readonly shows: { readonly bytes: Uint8Array } | { readonly address: string };
  /** Said before, and kept by the broker. */
  readonly retained: boolean;
}

/** What becomes of it. */
export interface PictureOutcome {
  /** A new one is there, since this time in epoch ms, as this kind. At most once a second for each device and kind. */
  came(at: number, of: string): void;
  /** Why it is none; undefined once one is good again. */
  problem(text: string | undefined): void;
}

export interface WantedPicture {
  /** Which of the device's pictures; any, where it is left out. */
  of?: string | undefined;
  /** The last one that was there then, epoch ms. */
  at?: number | undefined;
}

export interface DevicePictures extends Disposable {
  take(brought: BroughtPicture, outcome: PictureOutcome): void;
  /** The newest first. */
  list(deviceId: string, of?: string): Promise<readonly KeptPicture[]>;
  /** The newest one, or that of a time. */
  find(deviceId: string, wanted?: WantedPicture): Promise<Shot | undefined>;
  /** The next one that comes; undefined when the signal aborts. */
  next(deviceId: string, of: string | undefined, signal: AbortSignal): Promise<Shot | undefined>;
  /** The device is gone, and its pictures with it. */
  forget(deviceId: string): Promise<void>;
}

export interface DevicePicturesOptions {
  section: PicturesSection;
  folder: string;
  clock: Clock;
  log: Log;
  budget: Pick<WriteBudget, "allows">;
  fetch: FetchPicture;
  /** See `RingOptions`. */
  devices: () => Iterable<string> | undefined;
}

const REPORT_EVERY_MS = 1000;

const startOf = (deviceId: string): string => `${deviceId}\n`;

export function startDevicePictures(options: DevicePicturesOptions): DevicePictures {
  const { section, clock, log, budget } = options;
  const newest = new Newest();
  const ring = createPictureRing({
    ...{ folder: options.folder, devices: options.devices, keep: section.keep },
    bytes: section.max_mb * 1_048_576,
  });
  const card = createCardWriter<Shot>({
    ...{ clock, log, budget },
    save: (key, shot) => ring.save(key.slice(0, key.indexOf("\n")), shot),
  });
  const fetches = createFetches(clock, options.fetch);
  /** Of keys that were reported lately: what there is to report next. */
  const reporting = new Map<string, { timer: Timer; again?: () => void }>();
  const listeners = new Set<{ start: string; of: string | undefined; take: (shot: Shot) => void }>();

  function report(key: string, say: () => void): void {
    const known = reporting.get(key);
    if (known) {
      known.again = say;
      return;
    }
    const timer = clock.after("a picture is reported", REPORT_EVERY_MS, () => {
      const { again } = reporting.get(key) ?? {};
      reporting.delete(key);
      if (again) report(key, again);
    });
    reporting.set(key, { timer });
    say();
  }

  /** `retained`: the broker may have kept one that others followed; it came when it came first. */
  async function isKnown(deviceId: string, shot: Shot, retained: boolean): Promise<boolean> {
    if (retained) return (await list(deviceId, shot.of)).some(({ tag }) => tag === shot.tag);
    const own = newest.get(startOf(deviceId) + shot.of);
    const last = own ?? (await ring.list(deviceId)).find(({ of }) => of === shot.of);
    return last?.tag === shot.tag;
  }

  async function takeBytes(
    { deviceId, of, retained }: BroughtPicture,
    payload: Uint8Array,
    outcome: PictureOutcome,
  ): Promise<void> {
    const read = readPicture(payload);
    if ("problem" in read) {
      outcome.problem(`its picture cannot be used: ${read.problem}`);
      return;
    }
    outcome.problem(undefined);
    const kind = kindOf(of);
    const shot = shotOf(read, { at: clock.now(), of: kind });
    if (await isKnown(deviceId, shot, retained)) return;
    const key = startOf(deviceId) + kind;
    newest.set(key, shot);
    if (section.keep > 0) card.put(key, shot);
    for (const { start, of: wanted, take } of listeners)
      if (key.startsWith(start) && (wanted ?? kind) === kind) take(shot);
    report(key, () => outcome.came(newest.get(key)?.at ?? shot.at, kind));
  }

  async function fetchFor(brought: BroughtPicture, address: string, outcome: PictureOutcome): Promise<void> {
    const { deviceId, of, retained } = brought;
    const kind = kindOf(of);
    // What was said before the hub started has been fetched then.
    if (retained && (await list(deviceId, kind)).length > 0) return;
    if (section.addresses === "off") {
      outcome.problem('its picture is not fetched from where it is, as [pictures] addresses is "off"');
      return;
    }
    fetches.want(startOf(deviceId) + kind, {
      address,
      took: (bytes) => run(takeBytes(brought, bytes, outcome)),
      failed: (problem) => outcome.problem(`its picture cannot be fetched: ${problem}`),
    });
  }

  function run(work: Promise<void>): void {
    work.catch((error: unknown) => log.warn("a picture is lost", { error: String(error) }));
  }

  async function list(deviceId: string, of?: string): Promise<readonly KeptPicture[]> {
    const start = startOf(deviceId);
    const inMemory = [...newest.of(start)];
    const known = new Set(inMemory.map(nameOf));
    const onDisk = (await ring.list(deviceId)).filter((one) => !known.has(nameOf(one)));
    const all = [...inMemory, ...onDisk].filter((one) => of === undefined || one.of === of);
    return all.sort((a, b) => b.at - a.at);
  }

  async function bytesOf(deviceId: string, picture: KeptPicture): Promise<Shot | undefined> {
    const shot = newest.get(startOf(deviceId) + picture.of);
    if (shot && nameOf(shot) === nameOf(picture)) return shot;
    const bytes = await ring.read(deviceId, picture);
    return bytes && { ...picture, bytes };
  }

  return {
    take(brought, outcome) {
      const { shows } = brought;
      run("bytes" in shows ? takeBytes(brought, shows.bytes, outcome) : fetchFor(brought, shows.address, outcome));
    },
    list: (deviceId, of) => list(deviceId, of),
    async find(deviceId, { of, at = Number.POSITIVE_INFINITY } = {}) {
      for (const one of await list(deviceId, of)) {
        const found = one.at <= at ? await bytesOf(deviceId, one) : undefined;
        if (found) return found;
      }
      return undefined;
    },
    next(deviceId, of, signal) {
      const { promise, resolve } = Promise.withResolvers<Shot | undefined>();
      const listener = { start: startOf(deviceId), of, take: resolve };
      const stop = (): void => resolve(undefined);
      listeners.add(listener);
      signal.addEventListener("abort", stop, { once: true });
      if (signal.aborted) stop();
      return promise.finally(() => {
        listeners.delete(listener);
        signal.removeEventListener("abort", stop);
      });
    },
    async forget(deviceId) {
      const isGone = (key: string): boolean => key.startsWith(startOf(deviceId));
      for (const key of [...newest.keys()].filter(isGone)) newest.delete(key);
      card.forget(isGone);
      fetches.forget(isGone);
      await ring.remove(deviceId);
    },
    [Symbol.dispose]() {
      card[Symbol.dispose]();
      fetches[Symbol.dispose]();
      for (const { timer } of reporting.values()) timer[Symbol.dispose]();
    },
  };
}

const nameOf = ({ at, tag, of }: KeptPicture): string => `${at} ${tag} ${of}`;

const MAX_BYTES = 32 * 1_048_576;
const MOST = 2000;

/** The newest picture of each device and kind in memory, bounded in bytes: those that came last stay. */
class Newest {
  readonly #shots = new Map<string, Shot>();
  #bytes = 0;

  get(key: string): Shot | undefined {
    return this.#shots.get(key);
  }

  set(key: string, shot: Shot): void {
    this.delete(key);
    this.#shots.set(key, shot);
    this.#bytes += shot.size;
    for (const oldest of this.#shots.keys()) {
      if (this.#bytes <= MAX_BYTES && this.#shots.size <= MOST) return;
      this.delete(oldest);
    }
  }

  delete(key: string): void {
    this.#bytes -= this.#shots.get(key)?.size ?? 0;
    this.#shots.delete(key);
  }

  /** Those whose keys begin so. */
  *of(start: string): Iterable<Shot> {
    for (const [key, shot] of this.#shots) if (key.startsWith(start)) yield shot;
  }

  keys(): Iterable<string> {
    return this.#shots.keys();
  }
}
