// Every kind of wait in a process that is killed at random moments until all is done: nothing is lost, and what must not
// happen twice does not. `bun run campaign kills` kills it for longer.
import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { CAMPAIGN_MS, randomOf, rounds, tried } from "../../support/campaign.ts";
import { createTemporaryFolder } from "../../support/temporary-folder.ts";
import { MESSAGES } from "./killed-rules.ts";

// One that goes on for longer is not killed any more; on a busy machine, that is after some that came no further.
const MAX_MS = 250;
const LONGER_EACH_MS = 20;
const random = randomOf("moments of kills");

/** Whether it came to its end before it was killed. */
async function runKilled(
  folder: string,
  how: "begin" | "go-on",
  { keptIn, before }: { keptIn: string; before: number },
): Promise<boolean> {
  const house = Bun.spawn([process.execPath, join(import.meta.dir, "killed-house.ts"), folder, how, keptIn], {
    stdout: "pipe",
    env: { ...process.env, PROPERTY_SEED: String(random.below(2 ** 31)) },
  });
  let said = "";
  const ready = Promise.withResolvers<void>();
  const reading = (async () => {
    for await (const chunk of house.stdout) {
      said += new TextDecoder().decode(chunk);
      ready.resolve();
    }
    ready.resolve();
  })();
  await ready.promise;
  // When it is killed is what differs between the runs.
  await Bun.sleep(random.below(MAX_MS + before * LONGER_EACH_MS));
  house.kill("SIGKILL");
  await Promise.all([reading, house.exited]);
  expect(said).toStartWith("on disk");
  return said.endsWith("over\n");
}

/** What was said, with how often. */
function said(path: string): Record<string, number> {
  using db = new Database(path, { readonly: true });
  const rows = db.query<{ message: string; times: number }, []>(
    "SELECT message, count(*) AS times FROM said GROUP BY message",
  );
  return Object.fromEntries(rows.all().map(({ message, times }) => [message, times]));
}

function check(done: readonly string[]): void {
  expect(done.filter((line) => line.startsWith("rule_run_ended"))).toEqual([]);
  expect(done.filter((line) => line.startsWith("action_failed") && line.endsWith("notify"))).toEqual([]);
  expect(done).toContain('command fade {"brightness":3}');
  expect(done).toContain('command lamp {"on":true}');
}

test.each(["journal", "rows"])(
  "a kill loses no run, and repeats no message, kept in: %s",
  async (keptIn) => {
    let kills = 0;
    for (const _house of rounds(2)) {
      using folder = createTemporaryFolder();
      let before = 0;
      let over = await runKilled(folder.path, "begin", { keptIn, before });
      for (; !over; before++) over = await runKilled(folder.path, "go-on", { keptIn, before });
      kills += before;
      expect(said(folder.at("state.redb"))).toEqual(Object.fromEntries(MESSAGES));
      check(readFileSync(folder.at("done"), "utf8").trim().split("\n"));
    }
    tried(`${kills} kills`);
    expect(kills).toBeGreaterThan(0);
  },
  { timeout: 54_000 + 2 * CAMPAIGN_MS, retry: 0 },
);
