// Every kind of wait in a process that is killed at random moments until all is done: nothing is lost, and what must not
// happen twice does not. HUB_KILL_ROUNDS says how often it is killed.
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createTemporaryFolder } from "../../support/temporary-folder.ts";
import { MESSAGES } from "./killed-rules.ts";

const KILLS = Number(process.env.HUB_KILL_ROUNDS ?? 8);
// One that goes on for longer is not killed any more.
const LONGEST_MS = 250;

/** Whether it came to its end before it was killed. */
async function runKilled(folder: string, how: "begin" | "go-on"): Promise<boolean> {
  const house = Bun.spawn([process.execPath, join(import.meta.dir, "killed-house.ts"), folder, how], {
    stdout: "pipe",
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
  await Bun.sleep(Math.random() * LONGEST_MS);
  house.kill("SIGKILL");
  await Promise.all([reading, house.exited]);
  expect(said).toStartWith("on disk");
  return said.endsWith("over\n");
}

function check(done: readonly string[]): void {
  const count = (line: string): number => done.filter((one) => one === line).length;
  expect(done.filter((line) => line.startsWith("rule_run_ended"))).toEqual([]);
  for (const [message, times] of MESSAGES) {
    const sent = count(`notify ${message}`);
    const rule = message.split(":")[0] ?? "";
    const failed = count(`action_failed ${rule} notify`);
    expect({ message, sent, twice: sent > times, lost: sent + failed < times }).toEqual({
      message,
      sent,
      twice: false,
      lost: false,
    });
    if (failed === 0) expect({ message, sent }).toEqual({ message, sent: times });
  }
  expect(done).toContain('command fade {"brightness":3}');
  expect(done).toContain('command lamp {"on":true}');
}

test(
  `${KILLS} kills lose no run, and repeat no message`,
  async () => {
    let kills = 0;
    while (kills < KILLS) {
      using folder = createTemporaryFolder();
      let over = await runKilled(folder.path, "begin");
      for (; !over; kills++) over = await runKilled(folder.path, "go-on");
      check(readFileSync(folder.at("done"), "utf8").trim().split("\n"));
    }
  },
  30_000 + KILLS * 3000,
);
