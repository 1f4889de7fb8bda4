// A hub that has just taken over, and its second machine, as people and programs see them.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { checkConfig } from "../../src/app/config/load.ts";
import { viewTwoMachines, watchedMachines } from "../../src/app/hub/two-machines.ts";
import type { StandbyStatus } from "../../src/copies/standby/source/status.ts";
import type { HubEvent } from "../../src/server/events/catalog.ts";
import { createTestStanding, type TestStanding } from "../support/fake-standing.ts";
import { createTestPlatform } from "../support/platform.ts";
import { JWT_SECRET, startTestHub, type TestHub } from "../support/test-hub.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";

const START = Date.UTC(2026, 10, 23, 18, 0, 0);
const LEASE = "postgres://10.0.0.9:5432/home";
const clock = createVirtualClock(START);
let hub: TestHub;
let standing: TestStanding;

beforeAll(async () => {
  const tookOver = {
    from: { id: "machine-b", address: "http://10.0.0.1:8080" },
    reason: "gone" as const,
    copiedAt: START - 14_500,
    historyThrough: START - 15_000,
    goneSecs: 11,
  };
  standing = createTestStanding(clock, { epoch: 8, tookOver });
  const toml = `[standby]\nlease = "${LEASE}"\nusername = "hub"\npassword = "not to be seen"\n`;
  hub = await startTestHub({ clock, toml, standing });
});
afterAll(async () => hub[Symbol.asyncDispose]());

const get = async (path: string) => (await hub.request("GET", path, { token: hub.adminToken })).json();

test("the status has the lease without its secrets, and what was lost", async () => {
  const { standby } = (await get("/system/status")) as { standby: unknown };
  expect(standby).toEqual({
    ...{ role: "hub", epoch: 8, lease: LEASE, held: true, trouble: null, machine: null },
    acknowledge: "local",
    took_over: {
      ...{ at: "2026-11-23T18:00:00Z", from: "http://10.0.0.1:8080", reason: "gone", lost_secs: 15, gone_secs: 11 },
      ...{ copied_at: "2026-11-23T17:59:45Z", history_until: "2026-11-23T17:59:45Z" },
    },
  });
  standing.lease.trouble = "connection refused";
  expect(await get("/system/status")).toMatchObject({ standby: { held: true, trouble: "connection refused" } });
  standing.lease.trouble = undefined;
});

test("an event and an alert say that this machine took over", async () => {
  expect(await get("/events?type=system_took_over")).toMatchObject([
    { reason: "gone", epoch: 8, lost_secs: 15, gone_secs: 11, from: "http://10.0.0.1:8080" },
  ]);
  // The tests' own process may have a memory that is another alert.
  const alerts = (await get("/system/alerts")) as { kind: string }[];
  expect(alerts.filter(({ kind }) => kind !== "memory")).toMatchObject([
    { kind: "took_over", severity: "warning", until: null },
  ]);
});

test("the metrics have the lease", async () => {
  const text = await (
    await fetch(`${hub.api.replace("/api/v1", "")}/metrics`, { headers: { authorization: `Bearer ${hub.adminToken}` } })
  ).text();
  expect(text).toContain("hub_lease_epoch 8\n");
  expect(text).toContain("hub_lease_held 1\n");
});

test("a standby that comes and goes is an event each time, and is in the view", () => {
  const status: StandbyStatus = {
    machine: { id: "machine-b", name: "attic", address: "http://10.0.0.2:8080" },
    ...{ manual: false, version: "1.0.0", lastSeenSecs: 1.9, isWhole: true, behindSecs: 2.4, historyFrom: START },
    ...{ problem: undefined, isConfirming: undefined, unconfirmed: 0 },
  };
  const standby = { status: (): StandbyStatus | undefined => now };
  let now: StandbyStatus | undefined;
  const { config } = checkConfig(`[auth]\njwt_secret = "${JWT_SECRET}"\n`);
  if (!config) throw new Error("there is no configuration");
  const view = viewTwoMachines({ config, platform: createTestPlatform(clock) }, standby);
  expect(view()).toBeUndefined();
  now = status;
  expect(view()).toEqual({
    ...{ role: "hub", epoch: null, lease: null, held: true, trouble: null, took_over: null },
    acknowledge: "local",
    machine: {
      ...{ name: "attic", address: "http://10.0.0.2:8080", manual: false, version: "1.0.0", whole: true },
      ...{ heard_secs: 1, behind_secs: 2, history_until: "2026-11-23T18:00:00Z" },
      ...{ problem: null, confirms: null, unconfirmed: 0 },
    },
  });
  const events: HubEvent[] = [];
  const look = watchedMachines(view, (event) => events.push(event));
  look();
  look();
  now = { ...status, lastSeenSecs: 31 };
  look();
  look();
  now = status;
  look();
  now = undefined;
  look();
  expect(events).toMatchObject([
    { type: "standby_connected", name: "attic", version: "1.0.0" },
    { type: "standby_lost", name: "attic", silent_secs: 31 },
    { type: "standby_connected" },
    { type: "standby_lost" },
  ]);
});
