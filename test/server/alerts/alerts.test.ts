import { describe, expect, test } from "bun:test";
import { silentLog } from "../../../src/kit/lifecycle/log.ts";
import type { Finding, Watch } from "../../../src/server/alerts/alert.ts";
import { type AlertEvent, startAlerts } from "../../../src/server/alerts/alerts.ts";
import { createVirtualClock } from "../../support/virtual-clock.ts";

const FULL: Finding = {
  kind: "disk_full",
  severity: "critical",
  message: "The disk is full",
  mend: "Free some space.",
};
const DOWN: Finding = {
  kind: "plugin_down",
  about: "lamp",
  severity: "warning",
  message: "lamp is down",
  mend: "Look.",
};

function rig(options: { found?: Finding[]; ids?: string[]; save?: () => void; watches?: Watch[] } = {}) {
  const clock = createVirtualClock();
  const events: AlertEvent[] = [];
  const sent: string[] = [];
  const memory = { ids: options.ids ?? [] };
  const found = options.found ?? [];
  const alerts = startAlerts({
    watches: [...(options.watches ?? []), { name: "test", check: () => found }],
    clock,
    log: silentLog,
    emit: (event) => events.push(event),
    notify: async (_alert, _title, message) => void sent.push(message),
    memory: {
      load: () => memory.ids,
      save(ids) {
        options.save?.();
        memory.ids = [...ids];
      },
    },
  });
  return { clock, events, sent, memory, found, alerts };
}

describe("an alert", () => {
  test("begins once, lasts, and ends once", async () => {
    const { clock, events, sent, found, alerts } = rig();
    found.push(FULL);
    await clock.advance(60_000);
    expect(events).toEqual([{ type: "alert", id: "disk_full", state: "raised", ...FULL }]);
    expect(sent).toEqual(["The disk is full. Free some space."]);
    expect(alerts.degraded()).toEqual(["disk_full"]);
    const [{ since, until } = { since: 0, until: 0 }] = alerts.list();
    expect(until).toBeUndefined();
    expect(since).toBe(Date.UTC(2026, 0, 15, 12, 0, 5));
    found.length = 0;
    await clock.advance(70_000);
    expect(events.map(({ state }) => state)).toEqual(["raised", "cleared"]);
    expect(sent[1]).toBe("Over: The disk is full");
    expect(alerts.degraded()).toEqual([]);
    expect(alerts.list()).toMatchObject([{ id: "disk_full", until: expect.any(Number) }]);
  });

  test("that comes and goes within a minute is one alert", async () => {
    const { clock, events, found } = rig();
    for (let time = 0; time < 50; time++) {
      found.splice(0, 1, ...(time % 2 === 0 ? [FULL] : []));
      await clock.advance(10_000);
    }
    expect(events.map(({ state }) => state)).toEqual(["raised"]);
  });

  test("that lasted before a restart is not reported again, but its end is", async () => {
    const { clock, events, found, memory, alerts } = rig({ found: [DOWN], ids: ["plugin_down:lamp"] });
    await clock.advance(30_000);
    expect(events).toEqual([]);
    expect(alerts.degraded()).toEqual(["plugin_down"]);
    found.length = 0;
    await clock.advance(70_000);
    expect(events.map(({ id, state }) => `${id} ${state}`)).toEqual(["plugin_down:lamp cleared"]);
    expect(memory.ids).toEqual([]);
  });

  test("that is gone after a restart is reported as over, once; one of severity info is not", async () => {
    const first = rig({ found: [FULL, { ...DOWN, severity: "info" }] });
    await first.clock.advance(10_000);
    const second = rig({ ids: first.memory.ids });
    await second.clock.advance(30_000);
    expect(second.events).toEqual([]);
    await second.clock.advance(120_000);
    expect(second.events).toEqual([{ type: "alert", id: "disk_full", state: "cleared", ...FULL }]);
    expect(second.sent).toEqual(["Over: The disk is full"]);
    expect(second.memory.ids).toEqual([]);
  });

  test("is sent even if it cannot be saved, and a watch that fails does not affect the others", async () => {
    const broken: Watch = {
      name: "broken",
      check() {
        throw new Error("statfs failed");
      },
    };
    const { clock, sent } = rig({
      found: [FULL],
      watches: [broken],
      save() {
        throw new Error("disk full");
      },
    });
    await clock.advance(20_000);
    expect(sent).toHaveLength(1);
  });

  test("has the latest message, without another notification", async () => {
    const { clock, events, found, alerts } = rig({ found: [FULL] });
    found[0] = { ...FULL, message: "The disk is still full" };
    await clock.advance(10_000);
    expect(alerts.list()[0]?.message).toBe("The disk is still full");
    expect(events).toHaveLength(1);
  });

  test("is kept after its end, up to a hundred of them", async () => {
    const { clock, found, alerts } = rig();
    for (let n = 0; n < 120; n++) {
      found.splice(0, 1, { ...DOWN, about: `plugin ${n}` });
      await clock.advance(5000);
    }
    found.length = 0;
    await clock.advance(120_000);
    expect(alerts.list()).toHaveLength(100);
    expect(alerts.list()[0]?.about).toBe("plugin 119");
  });
});
