// bun test/bench/mutated-archives.ts [COUNT] [SEED]: restores so many archives that were tampered with, plain ones and Zip64.
// Each is restored with just what was saved, or refused with a reason and nothing changed; else it ends with 1.
import { restoreMutated } from "../copies/backup/archive/mutated-archives.ts";
import { SEED, tried } from "../support/campaign.ts";

const say = (line: string): void => void process.stdout.write(`${line}\n`);
const [count = 500, seed = SEED] = process.argv.slice(2).map(Number);
let wrong = 0;
// In a campaign the time may be up before the second kind.
for (const zip64 of seed % 2 === 0 ? [false, true] : [true, false]) {
  const begun = performance.now();
  const outcomes = await restoreMutated(count, seed, zip64);
  const all = outcomes.restored + outcomes.refused;
  const secs = ((performance.now() - begun) / 1000).toFixed(1);
  say(
    `${zip64 ? "Zip64" : "plain"}: ${all} archives (seed ${seed}) in ${secs} s: ${outcomes.restored} restored, ${outcomes.refused} refused, ${outcomes.wrong.length} wrong`,
  );
  tried(`${all} ${zip64 ? "Zip64 " : ""}archives, ${outcomes.restored} restored`);
  for (const [reason, times] of [...outcomes.reasons].sort(([, a], [, b]) => b - a))
    say(`${String(times).padStart(6)}  ${reason}`);
  for (const why of outcomes.wrong) say(`WRONG  ${why}`);
  wrong += outcomes.wrong.length;
}
process.exit(wrong === 0 ? 0 : 1);
