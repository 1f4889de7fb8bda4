// What goes to disk, counted by the kernel for the running hub: SD cards wear out. Over 10 s: it waits twice until nothing can follow.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createHubPlace } from "../support/hub-place.ts";
import type { HubProcess } from "../support/hub-process.ts";
import { until } from "../support/wait.ts";

const place = createHubPlace();
let hub: HubProcess;
beforeAll(async () => {
  hub = await place.start();
});
afterAll(() => place[Symbol.asyncDispose]());

// The log gathers for up to five.
const QUIET_MS = 5500;

function bytesWritten(): number {
  return Number(/^write_bytes: (\d+)$/m.exec(readFileSync(`/proc/${hub.pid}/io`, "latin1"))?.[1]);
}

/** Waits until everything that waited has gone to disk, and then for nothing to follow. */
async function quiet(): Promise<void> {
  let last = -1;
  let since = performance.now();
  await until(
    "the hub writes nothing more",
    () => {
      const now = bytesWritten();
      if (now !== last) since = performance.now();
      last = now;
      return performance.now() - since > QUIET_MS;
    },
    { everyMs: 100 },
  );
}

/** What is in the journal of readings, which begins with the first one. */
function journalText(): string {
  const folder = join(place.home, "data", "readings");
  if (!existsSync(folder)) return "";
  return readdirSync(folder)
    .map((name) => readFileSync(join(folder, name), "latin1"))
    .join("");
}

test("an idle hub writes nothing, a device that says the same again and again costs no byte, and a change does", async () => {
  const client = await hub.mqtt();
  const say = (temperature: number) =>
    client.publishAsync("hub/devices/attic/state", JSON.stringify({ temperature }), { qos: 1 });
  await say(20);
  // Readings gather as well, and their five seconds begin at any time.
  await until("the reading is written", () => journalText().includes('"temperature":20'));
  await quiet();
  const before = bytesWritten();
  for (let time = 0; time < 200; time++) await say(20);
  await quiet();
  expect(bytesWritten() - before).toBe(0);
  await say(21);
  // The kernel counts a page that is written twice before it is synced once.
  await until("the change is written", () => journalText().includes('"temperature":21'));
  await until("the hub says what it has written", async () => {
    const { disk } = await hub.get<{ disk: { written_bytes: number; limit_bytes_per_day: number } }>("/system/status");
    return disk.limit_bytes_per_day === 500_000_000 && disk.written_bytes === bytesWritten();
  });
});
