// Killed at random moments under load: what devices reported is there, as state and in the history, each sample once; without memory for what
// waits to be written (/dev/shm), what they reported longer ago than flush_secs. A timer that a rule started is there at once.
// `bun run campaign kills` kills it for longer.
import { expect, test } from "bun:test";
import { appendFileSync, existsSync, readdirSync, rmSync } from "node:fs";
import { downloadBackup } from "../support/archives.ts";
import { CAMPAIGN_MS, randomOf, rounds, tried } from "../support/campaign.ts";
import { createHubPlace } from "../support/hub-place.ts";
import type { HubProcess } from "../support/hub-process.ts";
import { until } from "../support/wait.ts";

const MIN_KILLS = 5;
// More would report more samples than one question to the history answers.
const MAX_KILLS = 25;
const FLUSH_MS = 1000;
/** The machine may be busy just then. */
const GRACE_MS = 1000;
const OLD_ENOUGH_MS = existsSync("/dev/shm") ? 0 : FLUSH_MS + GRACE_MS;
const DEVICES = ["attic", "cellar", "garage"];
const EGG_TIMER = `(
  id: "egg", name: "Egg",
  trigger: DeviceStateChanged(device_id: "attic", attribute: "n"),
  actions: [Timer(device_id: "egg_timer", command: "start", duration_secs: 600)],
)`;

/** For each device what it reported, and when the broker had it. */
type Reported = Map<string, { n: number; at: number }[]>;

async function talkUntilGone(hub: HubProcess, reported: Reported): Promise<void> {
  const client = await hub.mqtt();
  let gone = false;
  client.once("close", () => {
    gone = true;
  });
  client.on("error", () => {});
  const next = (device: string): number => (reported.get(device)?.at(-1)?.n ?? 0) + 1;
  while (!gone) {
    for (const device of DEVICES) {
      const n = next(device);
      const message = JSON.stringify({ n });
      const taken = await Promise.race([
        client.publishAsync(`hub/devices/${device}/state`, message, { qos: 1 }).then(() => true),
        hub.exited.then(() => false),
      ]).catch(() => false);
      if (!taken) return;
      reported.get(device)?.push({ n, at: performance.now() });
    }
    await Bun.sleep(5);
  }
}

const samplesOf = async (hub: HubProcess, device: string): Promise<number[]> => {
  const found = await hub.get<{ value: number }[]>(`/devices/${device}/history?attribute=n&limit=10000`);
  return found.map(({ value }) => value);
};

/** Up to where each device's readings are there, without a gap, each once, in state and history alike. */
async function checkReadings(hub: HubProcess, reported: Reported, killedAt: number): Promise<void> {
  for (const [device, all] of reported) {
    const must = all.findLast(({ at }) => at <= killedAt - OLD_ENOUGH_MS)?.n ?? 0;
    const { attributes } = await hub.get<{ attributes: { n?: number } }>(`/devices/${device}`);
    const samples = await samplesOf(hub, device);
    expect(attributes.n ?? 0).toBeGreaterThanOrEqual(must);
    expect(samples).toEqual(Array.from({ length: samples.length }, (_, index) => index + 1));
    expect(samples.length).toBe(attributes.n ?? 0);
    // The next values follow what the hub has.
    reported.set(device, all.slice(0, samples.length));
  }
}

const config = { toml: `[storage]\nflush_secs = ${FLUSH_MS / 1000}\nmax_write_mb_per_day = 0\n` };

test(
  "readings outlive a kill",
  async () => {
    await using place = createHubPlace(config);
    place.put("rules/egg.ron", EGG_TIMER);
    const reported: Reported = new Map(DEVICES.map((device) => [device, []]));
    const moments = randomOf("moments of kills");
    let killedAt = Number.NEGATIVE_INFINITY;
    let kills = 0;
    for (const round of rounds(MIN_KILLS)) {
      if (round === MAX_KILLS) break;
      const hub = await place.start();
      if (round === 0) await hub.request("POST", "/timers", { body: { id: "egg_timer" } });
      else await checkReadings(hub, reported, killedAt);
      const killed = Bun.sleep(300 + moments.below(3500)).then(() => {
        killedAt = performance.now();
        hub.kill("SIGKILL");
      });
      await Promise.all([talkUntilGone(hub, reported), killed]);
      await hub.exited;
      // As of a hub that had run for long: three that die as they start are followed by a safe start.
      rmSync(place.at("data", "starts.json"), { force: true });
      kills = round + 1;
    }
    const last = await place.start();
    await checkReadings(last, reported, killedAt);
    expect(reported.get("attic")?.length).toBeGreaterThan(20);
    expect(last.output).not.toMatch(/damaged|journal of readings cannot|\[ERR\]|safe start/);
    await last.end();
    expect(existsSync(place.at("data", "readings"))).toBe(false);
    const readings = [...reported.values()].reduce((sum, { length }) => sum + length, 0);
    tried(`${kills} kills; ${readings} readings that the broker had`);
  },
  { timeout: 80_000 + 2 * CAMPAIGN_MS, retry: 0 },
);

test("a timer that a rule started outlives a kill at once, though readings do not", async () => {
  await using place = createHubPlace({ toml: "[storage]\nflush_secs = 3600\n" });
  place.put("rules/egg.ron", EGG_TIMER);
  const first = await place.start();
  await first.request("POST", "/timers", { body: { id: "egg_timer" } });
  await (await first.mqtt()).publishAsync("hub/devices/attic/state", '{"n":1}', { qos: 1 });
  const state = async (hub: HubProcess) =>
    (await hub.get<{ attributes: { state?: string } }>("/devices/egg_timer")).attributes.state;
  await until("the timer runs", async () => (await state(first)) === "started");
  first.kill("SIGKILL");
  await first.exited;
  const second = await place.start();
  expect(await state(second)).toBe("started");
});

test("what a restore replaced keeps its journal: undone, the timer that was started before the kill runs", async () => {
  await using place = createHubPlace();
  const first = await place.start();
  await first.request("POST", "/timers", { body: { id: "egg_timer" } });
  const zip = place.at("..", "house.zip");
  await downloadBackup(first, zip);
  const command = { command: "start", duration_secs: 600 };
  expect((await first.request("PATCH", "/devices/egg_timer/state", { body: command })).status).toBeLessThan(300);
  first.kill("SIGKILL");
  await first.exited;
  const startAfter = async (...args: string[]): Promise<[HubProcess, unknown]> => {
    expect(await place.run(["restore", ...args])).toMatchObject({ code: 0 });
    const hub = await place.start();
    expect(hub.output).not.toContain("belongs to the previous one");
    return [hub, (await hub.get<{ attributes: { state?: string } }>("/devices/egg_timer")).attributes.state];
  };
  const [restored, asOfArchive] = await startAfter(zip);
  expect(asOfArchive).toBe("idle");
  await restored.end();
  expect((await startAfter("--undo"))[1]).toBe("started");
});

test("a journal whose end is garbage is read up to there, and the log says so", async () => {
  await using place = createHubPlace(config);
  const first = await place.start();
  await (await first.mqtt()).publishAsync("hub/devices/attic/state", '{"n":1}', { qos: 1 });
  const folder = place.at("data", "readings");
  const recorded = async () =>
    (await first.get<{ history: { samples_recorded: number } }>("/system/status")).history.samples_recorded;
  await until("it is in the journal", async () => (await recorded()) === 1);
  first.kill("SIGKILL");
  await first.exited;
  for (const name of readdirSync(folder)) {
    const path = place.at("data", "readings", name);
    appendFileSync(path, "garbage");
    await damageEnd(path);
  }
  const second = await place.start();
  expect(second.output).toContain("the end of the journal of readings cannot be read");
  expect((await second.get<{ attributes: unknown }>("/devices/attic")).attributes).toMatchObject({ n: 1 });
  expect(await samplesOf(second, "attic")).toEqual([1]);
});

/** The empty header behind the last text is altered. */
async function damageEnd(path: string): Promise<void> {
  const bytes = Buffer.from(await Bun.file(path).arrayBuffer());
  bytes.fill(0xff, bytes.length - "garbage".length - 8);
  await Bun.write(path, bytes);
}
