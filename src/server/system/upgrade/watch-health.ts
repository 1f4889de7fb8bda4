// Watches a hub that was just started: whether it comes up as the version it should be, and whether it stays well.
import { type Clock, sleep } from "../../../kit/time/clock.ts";
import { askHealth, type HealthAddress } from "./ask-health.ts";

/** For coming up. */
export const COME_UP_MS = 60_000;
const ASK_EVERY_MS = 100;
const WATCH_EVERY_MS = 1000;
const ANSWER_WITHIN_MS = 5000;
/** A busy machine may be slow for a moment. */
const UNWELL_MS = 15_000;

export interface HealthWatch {
  clock: Clock;
  address: HealthAddress;
  /** What it is to say; any version will do where it is undefined. */
  version: string | undefined;
  /** Whether all its parts have to be up. */
  isReady: boolean;
  /** How long it has to stay well once it is up. */
  watchSecs: number;
  /** Resolves with the reason where there is nothing to watch any more. */
  ended: Promise<string>;
}

/** Why it is not well; undefined where it came up and stayed well. */
export async function watchHealth({
  clock,
  address,
  version,
  isReady,
  watchSecs,
  ended,
}: HealthWatch): Promise<string | undefined> {
  let over: string | undefined;
  const end = ended.then((why) => {
    over = why;
    return undefined;
  });
  const where = `${address.host}:${address.port}`;
  const isWell = async (): Promise<boolean> => {
    const health = await Promise.race([askHealth(address, ANSWER_WITHIN_MS), end]);
    return health !== undefined && (version === undefined || health.version === version) && (!isReady || health.ready);
  };

  const begun = clock.mono();
  for (;;) {
    if (over !== undefined) return over;
    if (await isWell()) break;
    if (clock.mono() - begun >= COME_UP_MS) return over ?? `it did not answer ${where} within ${COME_UP_MS / 1000} s`;
    await Promise.race([sleep(clock, "upgrade", ASK_EVERY_MS), end]);
  }

  const up = clock.mono();
  let lastWell = up;
  for (let well = true; ; well = await isWell()) {
    if (over !== undefined) return over;
    const now = clock.mono();
    if (well) lastWell = now;
    if (well && now - up >= watchSecs * 1000) return undefined;
    if (now - lastWell >= UNWELL_MS)
      return `it was up, but ${Math.round((lastWell - up) / 1000)} s later it does not answer ${where} as it should`;
    await Promise.race([sleep(clock, "upgrade", WATCH_EVERY_MS), end]);
  }
}
