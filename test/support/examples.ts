// How many random examples a property looks at: some of those that are written in its test, and all of them in the campaign
// `properties` (CAMPAIGN_SCALE).

const SHARE = 50;

/** `fewest`: where fewer would miss what the test also counts. */
export function examples(all: number, fewest = 10): number {
  return process.env.CAMPAIGN_SCALE === undefined ? Math.min(all, Math.max(fewest, Math.ceil(all / SHARE))) : all;
}
