// The pictures of messages: taken when the message is enqueued, kept until all its copies are done, and handed to the channels with
// it. A message never fails for its picture: without one it says why.
import { existsSync } from "node:fs";
import { background } from "../../../kit/lifecycle/lifecycle.ts";
import type { Log } from "../../../kit/lifecycle/log.ts";
import { messageOf } from "../../../kit/schema/errors.ts";
import type { RandomBytes } from "../../../kit/schema/ids.ts";
import { parseImageSource } from "../../../kit/text/image-source.ts";
import type { Timer } from "../../../kit/time/clock.ts";
import { durationText } from "../../../kit/time/duration.ts";
import type { StateDb } from "../../../server/db/state-db.ts";
import type { ChannelMessage, Picture } from "../channel.ts";
import type { Addressed, Notifier } from "../notifier.ts";
import type { CaptureDeps, Captured } from "./capture.ts";
import type { Logins } from "./logins.ts";
import { createTopicListeners, type TopicListeners } from "./mqtt-pictures.ts";
import type { PictureStore } from "./picture-store.ts";

export interface Pictures extends Disposable, Pick<TopicListeners, "receive"> {
  /** Begins to take what these messages show; to be called before they are enqueued. */
  take(addressed: readonly Addressed[]): void;
  /** The same notifier, which delivers messages with their pictures. */
  deliver: Notifier["deliver"];
}

export interface PicturesOptions extends Omit<CaptureDeps, "listeners" | "logins"> {
  log: Log;
  random: RandomBytes;
  db: Pick<StateDb, "own">;
  notifier: Pick<Notifier, "deliver">;
  /** Where pictures of waiting messages are kept. */
  folder: string;
}

interface Taken {
  readonly picture?: Picture;
  /** How much older than its message it is, ms. */
  readonly oldMs?: number;
  /** Why there is none, in plain words. */
  readonly problem?: string;
}

const SEND_WITHIN_MS = 10_000;
/** What a slow line to the service moves. */
const BYTES_PER_MS = 64;
/** Rules that notify several channels of one moment show the same picture. */
const SHARED_MS = 1000;
const MAX_AT_ONCE = 16;
const MAX_PROBLEMS = 1000;
/** An older picture may show nothing of what the message is about: it says so. */
const OLD_MS = 60_000;
/** Taken after a restart only where the moment is hardly over. */
const STILL_THEN_MS = 60_000;
const SWEEP_AFTER_MS = 1000;
const SWEEP_INTERVAL_MS = 10 * 60_000;

export function startPictures(options: PicturesOptions): Pictures {
  const { clock, log, notifier } = options;
  const listeners = createTopicListeners();
  const shots = new Map<string, Promise<Captured>>();
  const taking = new Map<string, Promise<Taken>>();
  const problems = new Map<string, string>();
  const waiting = options.db.own.query<{ message_id: string }, []>(
    `SELECT DISTINCT message_id FROM outbox WHERE options LIKE '%"image"%'`,
  );
  const timers = new Set<Timer>();
  let store: PictureStore | undefined;
  let logins: Logins | undefined;
  let sweeping: Timer | undefined;
  sweepIn(SWEEP_AFTER_MS);

  // Loaded with the first picture.
  async function storeOf(): Promise<PictureStore> {
    const { createPictureStore } = await import("./picture-store.ts");
    store ??= createPictureStore(options.folder);
    return store;
  }

  function after(name: string, ms: number, work: () => void): Timer {
    const timer = clock.after(name, ms, () => {
      timers.delete(timer);
      work();
    });
    timers.add(timer);
    return timer;
  }

  function sweepIn(ms: number): void {
    sweeping?.[Symbol.dispose]();
    sweeping = after("pictures", ms, () => background(log, "old pictures", sweep()));
  }

  async function sweep(): Promise<void> {
    if (!existsSync(options.folder)) return;
    const alive = new Set(waiting.all().map((row) => row.message_id));
    for (const id of problems.keys()) if (!alive.has(id)) problems.delete(id);
    const left = await (await storeOf()).sweep((id) => alive.has(id) || taking.has(id));
    if (left > 0) sweepIn(SWEEP_INTERVAL_MS);
  }

  async function shot(image: string): Promise<Captured> {
    const { capture } = await import("./capture.ts");
    const { createLogins } = await import("./logins.ts");
    logins ??= createLogins(options.random);
    return capture(image, { ...options, listeners, logins });
  }

  /** One picture for all who ask in the same moment. */
  function shared(image: string): Promise<Captured> {
    const under = shots.get(image);
    if (under !== undefined) return under;
    if (shots.size >= MAX_AT_ONCE) return Promise.reject(new Error("too many pictures are being taken"));
    const taken = shot(image);
    shots.set(image, taken);
    const forget = (): void => void after("picture", SHARED_MS, () => shots.delete(image));
    taken.then(forget, forget);
    return taken;
  }

  async function takeFor(id: string, image: string): Promise<Taken> {
    const then = clock.now();
    try {
      const { at = then, ...picture } = await shared(image);
      const oldMs = then - at;
      await (await storeOf())
        .save(id, picture, oldMs >= OLD_MS ? oldMs : 0)
        .catch((error) =>
          log.warn("a picture cannot be kept, so a later try goes without it", { error: messageOf(error) }),
        );
      return { picture, oldMs };
    } catch (error) {
      const problem = messageOf(error);
      log.warn("a message goes without its picture", { image: image.slice(0, 200), reason: problem });
      if (problems.size < MAX_PROBLEMS) problems.set(id, problem);
      return { problem };
    } finally {
      taking.delete(id);
      // The same message may wait already, so that nobody needs this one.
      sweepIn(SWEEP_AFTER_MS);
    }
  }

  function begin(id: string, image: string): Promise<Taken> {
    const begun = taking.get(id) ?? takeFor(id, image);
    // `takeFor` ends in a later turn.
    taking.set(id, begun);
    return begun;
  }

  async function pictureFor({ id, image = "", at }: ChannelMessage): Promise<Taken> {
    const begun = taking.get(id);
    if (begun !== undefined) return begun;
    const kept = await (await storeOf()).read(id);
    const { nameOf } = await import("./capture.ts");
    const { pictureOf } = await import("./picture-type.ts");
    const source = parseImageSource(image);
    const picture = kept && pictureOf("problem" in source ? "picture" : nameOf(source), kept.bytes);
    if (picture) return { picture, oldMs: kept.oldMs };
    const problem = problems.get(id);
    if (problem !== undefined) return { problem };
    const isStillThen = Math.abs(clock.now() - at) < STILL_THEN_MS;
    return isStillThen ? begin(id, image) : { problem: "it was not kept" };
  }

  return {
    receive: listeners.receive,
    take(addressed) {
      for (const { message } of addressed) if (message.image !== undefined) void begin(message.id, message.image);
    },
    async deliver({ channel, message }, signal, withinMs = SEND_WITHIN_MS, sending) {
      if (message.image === undefined || channel === "log")
        return notifier.deliver({ channel, message }, signal, withinMs, sending);
      const cut = Promise.withResolvers<Taken>();
      signal.addEventListener("abort", () => cut.resolve({}), { once: true });
      const taken = await Promise.race([pictureFor(message), cut.promise]);
      const { picture } = taken;
      const moreMs = Math.ceil((picture?.bytes.length ?? 0) / BYTES_PER_MS);
      const shown = { ...message, ...(picture && { picture }), ...noted(message, taken) };
      const outcome = await notifier.deliver({ channel, message: shown }, signal, withinMs + moreMs, sending);
      sweepIn(SWEEP_AFTER_MS);
      return { ...outcome, message };
    },
    [Symbol.dispose]() {
      for (const timer of timers) timer[Symbol.dispose]();
    },
  };
}

/** What is to be said of its picture. */
function noted({ repeats }: ChannelMessage, { picture, problem, oldMs = 0 }: Taken): Pick<ChannelMessage, "repeats"> {
  if (picture && oldMs < OLD_MS) return {};
  const note = picture ? `the picture is ${durationText(oldMs / 1000)} older` : `no picture: ${problem ?? "unknown"}`;
  return { repeats: [repeats, `(${note})`].filter((text) => text !== undefined).join(" ") };
}
