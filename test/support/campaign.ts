// What `bun run campaign` gives the programs of its rounds by their environment: a seed for all that they do at random, and the time at
// which they stop. Without it they look elsewhere each time, and do the least.
import { createRandom, type Random } from "./random.ts";

const { PROPERTY_SEED, CAMPAIGN_UNTIL } = process.env;
const isCampaign = CAMPAIGN_UNTIL !== undefined;
/** Milliseconds since 1970. */
const UNTIL = Number(CAMPAIGN_UNTIL ?? 0);

export const SEED = Number(PROPERTY_SEED ?? Date.now() % 2 ** 31);
/** What a test may take longer in a campaign. */
export const CAMPAIGN_MS = isCampaign ? Math.max(0, UNTIL - Date.now()) : 0;

/** For one purpose, so that what draws for another at the same time changes nothing. */
export const randomOf = (purpose: string): Random => createRandom(SEED ^ Bun.hash.crc32(purpose));

/** Never, outside a campaign. */
export const isTimeUp = (): boolean => isCampaign && Date.now() >= UNTIL;

/** 0, 1, 2 …: so often at least, and in a campaign until its time is up. */
export function* rounds(atLeast: number): Generator<number, void> {
  for (let round = 0; round < atLeast || (isCampaign && !isTimeUp()); round++) yield round;
}

/** For the campaign's table. */
export function tried(what: string): void {
  if (isCampaign) process.stdout.write(`tried: ${what}\n`);
}
