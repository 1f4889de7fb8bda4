// The record of how starts ended, where time matters.
import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { openStarts, type Starts, type StartsOptions } from "../../src/server/system/starts.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

function createRig(settings: Partial<StartsOptions> = {}) {
  const folder = createTemporaryFolder();
  const path = folder.at("starts.json");
  const clock = createVirtualClock();
  const fixed = {
    ...{ path, clock, version: "1.0.0", boot: "this one" },
    ...{ optional: ["rules", "plugins", "mqtt"], suspects: ["plugins"], needs: { plugins: "mqtt" } },
    ...settings,
  };
  const open = (other: Partial<StartsOptions> = {}): Starts => openStarts({ ...fixed, ...other });
  return {
    ...{ path, clock, open },
    offIn: (starts: Starts) => starts.safe?.off.map(({ part }) => part),
    /** A process whose hub is up. Without a word after it, it was killed. */
    begin(other?: Partial<StartsOptions>): Starts {
      const starts = open(other);
      starts.entering("mqtt");
      starts.up();
      return starts;
    },
    /** A process whose start ends with an error. */
    fail(part = "mqtt", error = "the port is taken"): void {
      const starts = open();
      starts.entering(part);
      starts.failed(new Error(error));
    },
    read: () => JSON.parse(readFileSync(path, "utf8")),
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  };
}

/** The hub starts again in this process, with the part that is due. */
function tryDue(starts: Starts): string | undefined {
  const part = starts.due();
  if (part === undefined) return undefined;
  starts.tryAgain(part);
  starts.entering("mqtt");
  starts.up();
  return part;
}

test("a start counts as successful after a minute, and not before", async () => {
  using rig = createRig();
  rig.begin();
  await rig.clock.advance(59_999);
  expect(existsSync(rig.path)).toBe(true);
  await rig.clock.advance(1);
  expect(existsSync(rig.path)).toBe(false);
});

test("three errors in a row are a fault; five deaths without a word are not yet one, as most are kills", () => {
  using rig = createRig();
  for (let time = 0; time < 3; time++) rig.fail();
  expect(rig.open().safe).toMatchObject({ failedPart: "mqtt", off: [{ part: "mqtt", error: "the port is taken" }] });

  using other = createRig();
  for (let time = 0; time < 5; time++) other.begin();
  expect(other.open().safe).toBeUndefined();
  other.begin();
  expect(other.open().safe).toMatchObject({ failedPart: "unknown", off: [{ part: "plugins" }] });
});

test("three deaths while the same part starts are a fault of that part", () => {
  using rig = createRig();
  for (let time = 0; time < 3; time++) rig.open().entering("rules");
  expect(rig.offIn(rig.open())).toEqual(["rules"]);
});

test("what another version did, and what a power cut ended, does not count", () => {
  using rig = createRig();
  for (let time = 0; time < 6; time++) rig.begin();
  expect(rig.open().safe).toBeDefined();
  expect(rig.open({ version: "1.0.1" }).safe).toBeUndefined();
  expect(rig.open({ boot: "another" }).safe).toBeUndefined();
  expect(rig.open({ boot: undefined }).safe).toBeUndefined();
  for (let time = 0; time < 20; time++) rig.begin({ boot: `boot ${time}` });
  expect(rig.open().safe).toBeUndefined();
});

test("the start after a safe one is a full one, without a second chance", async () => {
  using rig = createRig();
  for (let time = 0; time < 3; time++) rig.fail();
  expect(rig.begin().safe).toBeDefined();
  await rig.clock.advance(MINUTE_MS);
  expect(rig.open().safe).toBeUndefined();
  rig.fail("mqtt", "the port is still taken");
  const [mqtt] = rig.open().safe?.off ?? [];
  expect(mqtt).toMatchObject({ part: "mqtt", error: "the port is still taken" });
  // It was tried once more: the next try comes later.
  expect(mqtt?.next).toBe(rig.clock.now() + HOUR_MS);
});

test("a part that is off is tried alone after ten minutes, an hour, six hours and each day, over restarts and kills", async () => {
  using rig = createRig();
  for (let time = 0; time < 3; time++) rig.fail("rules", "they did");
  for (const waits of [10 * MINUTE_MS, HOUR_MS, 6 * HOUR_MS, 24 * HOUR_MS, 24 * HOUR_MS]) {
    const starts = rig.begin();
    expect(starts.safe?.off).toMatchObject([{ part: "rules", next: rig.clock.now() + waits }]);
    await rig.clock.advance(waits - 1);
    expect(starts.due()).toBeUndefined();
    await rig.clock.advance(1);
    expect(tryDue(starts)).toBe("rules");
    expect(starts.safe).toBeUndefined();
    // Killed while it is tried: the next process is a safe start again.
  }
  const last = rig.begin();
  await rig.clock.advance(24 * HOUR_MS);
  expect(tryDue(last)).toBe("rules");
  await rig.clock.advance(MINUTE_MS);
  expect(last.safe).toBeUndefined();
  expect(existsSync(rig.path)).toBe(false);
});

test("parts are tried one after the other, each a minute; one that fails stays off, the others come back", async () => {
  using rig = createRig();
  for (let time = 0; time < 7; time++) rig.begin();
  const starts = rig.begin();
  expect(rig.offIn(starts)).toEqual(["plugins", "rules", "mqtt"]);
  await rig.clock.advance(10 * MINUTE_MS);
  // Plugins are of no use without MQTT.
  expect(tryDue(starts)).toBe("rules");
  expect(rig.offIn(starts)).toEqual(["plugins", "mqtt"]);
  expect(starts.due()).toBeUndefined();
  starts.failed(new Error("a rule did it"));
  expect(rig.offIn(starts)).toEqual(["plugins", "rules", "mqtt"]);
  starts.entering("mqtt");
  starts.up();
  await rig.clock.advance(MINUTE_MS);
  expect(tryDue(starts)).toBe("mqtt");
  await rig.clock.advance(MINUTE_MS);
  expect(tryDue(starts)).toBe("plugins");
  await rig.clock.advance(MINUTE_MS);
  expect(starts.safe).toMatchObject({ off: [{ part: "rules", error: "a rule did it" }] });
  expect(tryDue(starts)).toBeUndefined();
});

test("a try that a power cut or a signal ended, or another part, is no failure of the part", async () => {
  using rig = createRig();
  for (let time = 0; time < 3; time++) rig.fail("rules");
  const cut = rig.begin();
  await rig.clock.advance(10 * MINUTE_MS);
  expect(tryDue(cut)).toBe("rules");
  const [rules] = rig.begin({ boot: "another" }).safe?.off ?? [];
  expect(rules).toMatchObject({ part: "rules", tries: 0, next: rig.clock.now() });

  using other = createRig();
  for (let time = 0; time < 3; time++) other.fail("rules");
  const starts = other.begin();
  await other.clock.advance(10 * MINUTE_MS);
  starts.tryAgain("rules");
  starts.entering("mqtt");
  starts.failed(new Error("the port is taken"));
  const next = other.clock.now() + 10 * MINUTE_MS;
  expect(starts.safe?.off).toMatchObject([
    { part: "rules", tries: 0, next },
    { part: "mqtt", tries: 0, next },
  ]);
  starts.entering("rules");
  starts.up();
  await other.clock.advance(10 * MINUTE_MS);
  expect(tryDue(starts)).toBe("rules");
  starts.stopping();
  // A person restarts it: all of it is tried.
  expect(other.open().safe).toBeUndefined();
  expect(other.read()).toMatchObject({ off: [{ part: "rules", tries: 0 }, { part: "mqtt" }] });
});

test("a clock that was years behind, or is set while the hub runs, neither hastens a try nor prevents it", async () => {
  using rig = createRig();
  for (let time = 0; time < 3; time++) rig.fail("rules");
  rig.clock.step(-400 * 24 * HOUR_MS);
  const starts = rig.begin();
  rig.clock.step(400 * 24 * HOUR_MS);
  await rig.clock.advance(10 * MINUTE_MS - 1);
  expect(starts.due()).toBeUndefined();
  rig.clock.step(-400 * 24 * HOUR_MS);
  await rig.clock.advance(1);
  expect(starts.due()).toBe("rules");
});

test("where the machine has no boot id, only errors count", () => {
  using rig = createRig({ boot: undefined });
  for (let time = 0; time < 3; time++) {
    rig.open().entering("rules");
    rig.fail("mqtt", "no");
  }
  expect(rig.offIn(rig.open())).toEqual(["mqtt"]);
});
