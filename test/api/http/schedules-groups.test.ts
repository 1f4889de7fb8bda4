import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { runScenarios, runSteps } from "../../support/scenarios.ts";
import { startTestHub, type TestHub } from "../../support/test-hub.ts";
import { createVirtualClock } from "../../support/virtual-clock.ts";

// A Thursday, noon in Berlin.
const clock = createVirtualClock(Date.UTC(2026, 0, 15, 11, 0, 0));
let hub: TestHub;
beforeAll(async () => {
  hub = await startTestHub({ clock, toml: '[location]\ntimezone = "Europe/Berlin"\n' });
});
afterAll(() => hub[Symbol.asyncDispose]());

const plan = [{ days: ["mon", "fri"], from: "7:00", to: "08:30" }];
const stored = [{ days: ["mon", "fri"], from: "07:00", to: "08:30" }];

async function call(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
  const sent = body === undefined ? {} : { body };
  const response = await hub.request(method, path, { token: hub.adminToken, headers, ...sent });
  const text = await response.text();
  return {
    status: response.status,
    etag: response.headers.get("etag"),
    body: text === "" ? undefined : JSON.parse(text),
  };
}

describe("schedules", () => {
  runScenarios(
    () => hub,
    [
      {
        name: "a viewer makes none",
        method: "POST",
        path: "/schedules",
        as: "viewer",
        body: { name: "X", plan },
        status: 403,
      },
      {
        name: "a wrong time is named",
        method: "POST",
        path: "/schedules",
        body: { name: "X", plan: [{ days: ["mon"], from: "25:00", to: "08:00" }] },
        status: 400,
        contains: ["plan[0].from: must be a time of day"],
      },
      {
        name: "a wrong day is named",
        method: "POST",
        path: "/schedules",
        body: { name: "X", plan: [{ days: ["monday"], from: "05:00", to: "08:00" }] },
        status: 400,
        contains: ["plan[0].days[0]"],
      },
      {
        name: "so is an entry without a length",
        method: "POST",
        path: "/schedules",
        body: { name: "X", plan: [{ days: ["mon"], from: "05:00", to: "05:00" }] },
        status: 400,
        contains: ["plan[0].to: it would end when it begins"],
      },
      {
        name: "none of that name",
        path: "/schedules/cooling",
        status: 404,
        contains: ['there is no schedule \\"cooling\\"'],
      },
    ],
  );

  test("one is made, read, and disabled as the device it is", () =>
    runSteps(hub, [
      {
        name: "a user makes one",
        method: "POST",
        path: "/schedules",
        as: "user",
        body: { id: "heating", name: "Heating", area: "Hall", plan },
        status: 201,
        contains: ['"on":false', '"next_change":"2026-01-16T06:00:00.000Z"', '"area":"Hall"', '"enabled":true'],
      },
      {
        name: "an id is taken once",
        method: "POST",
        path: "/schedules",
        body: { id: "heating", name: "H", plan },
        status: 409,
      },
      {
        name: "a viewer reads it",
        path: "/schedules/heating",
        as: "viewer",
        status: 200,
        contains: ['"id":"heating"'],
      },
      {
        name: "it is a device",
        path: "/devices/heating",
        status: 200,
        contains: ['"device_type":"schedule"', '"plugin_id":"core"'],
      },
      {
        name: "it is disabled as a device",
        method: "PATCH",
        path: "/devices/heating/state",
        as: "user",
        body: { enabled: false },
        status: 202,
      },
      {
        name: "and says so",
        path: "/schedules/heating",
        status: 200,
        contains: ['"enabled":false', '"next_change":null'],
      },
    ]));

  test("an edit with the ETag of an earlier state is refused, and loses nothing", async () => {
    await call("POST", "/schedules", { id: "lights", name: "Lights", area: "Hall", plan: [] });
    await call("PATCH", "/devices/lights/state", { enabled: false });
    const read = await call("GET", "/schedules/lights");
    expect(read.etag).toBeString();
    const first = await call("PUT", "/schedules/lights", { name: "Lights", plan }, { "if-match": read.etag ?? "" });
    expect(first).toMatchObject({ status: 200, body: { enabled: true, area: null, plan: stored } });
    const second = await call("PUT", "/schedules/lights", { name: "Mine", plan: [] }, { "if-match": read.etag ?? "" });
    expect(second.status).toBe(409);
    expect((await call("GET", "/schedules/lights")).body).toMatchObject({ name: "Lights", plan: stored });
  });

  test("a part is changed alone, and all of it removed", async () => {
    await call("POST", "/schedules", { id: "fan", name: "Fan", plan });
    const patched = await call("PATCH", "/schedules/fan", { plan: [{ days: ["thu"], from: "11:00", to: "13:00" }] });
    expect(patched.body).toMatchObject({ name: "Fan", on: true, next_change: "2026-01-15T12:00:00.000Z" });
    expect((await call("DELETE", "/schedules/fan")).status).toBe(204);
    expect((await call("GET", "/devices/fan")).status).toBe(404);
  });
});

describe("groups", () => {
  runScenarios(
    () => hub,
    [
      {
        name: "not of what does not exist",
        method: "POST",
        path: "/groups",
        body: { name: "X", members: ["nothing"] },
        status: 400,
        contains: ['there is no device \\"nothing\\"'],
      },
    ],
  );

  test("one is made of two switches, commanded, edited and removed", () =>
    runSteps(hub, [
      { name: "two switches", method: "POST", path: "/switches", body: { id: "left" }, status: 201 },
      { name: "for it", method: "POST", path: "/switches", body: { id: "right" }, status: 201 },
      {
        name: "a user makes one",
        method: "POST",
        path: "/groups",
        as: "user",
        body: { name: "Both", members: ["left", "right"] },
        status: 201,
        contains: ['"id":"both"', '"device_type":"switch"', '"members":["left","right"]'],
      },
      {
        name: "not with itself",
        method: "PATCH",
        path: "/groups/both",
        body: { members: ["left", "both"] },
        status: 400,
        contains: ['the group \\"both\\" cannot be in itself'],
      },
      { name: "it is no switch", path: "/switches/both", status: 404 },
      {
        name: "a command goes to all",
        method: "PATCH",
        path: "/devices/both/state",
        as: "user",
        body: { on: true },
        status: 202,
      },
      { name: "which it reaches", path: "/switches/right", status: 200, contains: ['"on":true'] },
      {
        name: "what none takes is refused",
        method: "PATCH",
        path: "/devices/both/state",
        body: { brightness_pct: 4 },
        status: 400,
        contains: ['no member of the group \\"both\\" takes \\"brightness_pct\\"'],
      },
      {
        name: "it is edited",
        method: "PUT",
        path: "/groups/both",
        body: { name: "One", members: ["left"] },
        status: 200,
      },
      { name: "and removed", method: "DELETE", path: "/groups/both", as: "user", status: 204 },
      { name: "its members stay", path: "/switches/left", status: 200 },
    ]));
});
