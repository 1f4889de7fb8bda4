import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { runScenarios, runSteps } from "../../../support/scenarios.ts";
import { createTemporaryFolder, type TemporaryFolder } from "../../../support/temporary-folder.ts";
import { startTestHub, type TestHub } from "../../../support/test-hub.ts";
import { createVirtualClock } from "../../../support/virtual-clock.ts";

const MODES = `[[modes]]
id = "night"
name = "Night"
kind = "solar"
on_event = "sunset"
off_event = "sunrise"
off_offset_minutes = -30
[[modes]]
id = "away"
name = "Nobody at home"
kind = "manual"
`;

// Noon in Berlin, in winter.
const clock = createVirtualClock(Date.UTC(2026, 0, 15, 11, 0, 0));
let folder: TemporaryFolder;
let hub: TestHub;
beforeAll(async () => {
  folder = createTemporaryFolder();
  mkdirSync(folder.at("config"));
  writeFileSync(folder.at("config", "modes.toml"), MODES);
  hub = await startTestHub({ folder, clock, toml: "[location]\nlatitude = 52.52\nlongitude = 13.405\n" });
});
afterAll(async () => {
  await hub[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

async function json(method: string, path: string, body?: unknown): Promise<unknown> {
  const response = await hub.request(method, path, { token: hub.adminToken, ...(body === undefined ? {} : { body }) });
  const text = await response.text();
  return text === "" ? response.status : JSON.parse(text);
}

describe("timers", () => {
  runScenarios(
    () => hub,
    [
      {
        name: "a viewer may not make one",
        method: "POST",
        path: "/timers",
        as: "viewer",
        body: { id: "x" },
        status: 403,
      },
      {
        name: "an id must fit into an address",
        method: "POST",
        path: "/timers",
        body: { id: "a/b" },
        status: 400,
        contains: ["id: must have"],
      },
      {
        name: "unknown keys are named",
        method: "POST",
        path: "/timers",
        body: { id: "y", duration: 3 },
        status: 400,
        contains: ["duration"],
      },
      { name: "none of that name", path: "/timers/coffee", status: 404, contains: ['there is no timer \\"coffee\\"'] },
      { name: "a mode is no timer", method: "DELETE", path: "/timers/away", status: 404 },
    ],
  );

  test("one is made, read, commanded and named", () =>
    runSteps(hub, [
      {
        name: "a user may",
        method: "POST",
        path: "/timers",
        as: "user",
        body: { id: "tea", name: "Tea" },
        status: 201,
      },
      { name: "an id is taken once", method: "POST", path: "/timers", as: "user", body: { id: "tea" }, status: 409 },
      {
        name: "also by another kind",
        method: "POST",
        path: "/switches",
        as: "user",
        body: { id: "tea" },
        status: 409,
        contains: ['the id \\"tea\\" is already taken'],
      },
      {
        name: "one is read with its state",
        path: "/timers/tea",
        as: "viewer",
        status: 200,
        contains: ['"state":"idle"', '"duration_secs":null', '"ends_at":null', '"remaining_secs":null', '"area":null'],
      },
      {
        name: "commanded wrongly",
        method: "PATCH",
        path: "/devices/tea/state",
        body: { command: "strat" },
        status: 400,
      },
      {
        name: "commanded too early",
        method: "PATCH",
        path: "/devices/tea/state",
        body: { command: "pause" },
        status: 409,
      },
      {
        name: "a viewer does not command",
        method: "PATCH",
        path: "/devices/tea/state",
        as: "viewer",
        body: { command: "start", duration_secs: 60 },
        status: 403,
      },
      {
        name: "a user does",
        method: "PATCH",
        path: "/devices/tea/state",
        as: "user",
        body: { command: "start", duration_secs: 60 },
        status: 202,
      },
      {
        name: "a name is given",
        method: "PATCH",
        path: "/timers/tea",
        as: "user",
        body: { name: "Green tea" },
        status: 200,
        contains: ['"name":"Green tea"'],
      },
    ]));

  test("answer the time left now, and report their end once", async () => {
    await json("POST", "/timers", { id: "eggs" });
    await json("PATCH", "/devices/eggs/state", { command: "start", duration_secs: 60 });
    await json("PATCH", "/devices/eggs/state", { command: "start", duration_secs: 90 });
    await clock.advance(30_250);
    const timers = (await json("GET", "/timers")) as { id: string }[];
    expect(timers.find(({ id }) => id === "eggs")).toMatchObject({ state: "started", remaining_secs: 59.75 });
    await clock.advance(59_750);
    expect(await json("GET", "/timers/eggs")).toMatchObject({ state: "expired", duration_secs: 90, ends_at: null });
    const events = (await json("GET", "/events?type=timer_state_changed")) as { state: string; device_id: string }[];
    const ofEggs = events.filter(({ device_id }) => device_id === "eggs");
    expect(ofEggs.map(({ state }) => state)).toEqual(["expired", "started", "started"]);
  });

  test("are removed, also as devices", async () => {
    await json("POST", "/timers", { id: "rice" });
    expect(await json("DELETE", "/timers/rice")).toBe(204);
    expect(await json("GET", "/devices/rice")).toMatchObject({ status: 404 });
  });
});

describe("switches", () => {
  test("one is made, turned, named and removed", () =>
    runSteps(hub, [
      { name: "made", method: "POST", path: "/switches", as: "user", body: { id: "guests" }, status: 201 },
      {
        name: "turned",
        method: "PATCH",
        path: "/devices/guests/state",
        as: "user",
        body: { command: "toggle" },
        status: 202,
      },
      {
        name: "read",
        path: "/switches",
        as: "viewer",
        status: 200,
        contains: ['[{"id":"guests","name":"guests","area":null,"on":true}]'],
      },
      { name: "named", method: "PATCH", path: "/switches/guests", as: "user", body: { name: "G" }, status: 200 },
      {
        name: "no name is none",
        method: "PATCH",
        path: "/switches/guests",
        as: "user",
        body: { name: "" },
        status: 400,
      },
      { name: "removed", method: "DELETE", path: "/switches/guests", as: "user", status: 204 },
      { name: "and gone", path: "/switches/guests", status: 404 },
    ]));
});

describe("modes", () => {
  test("are read with the next moments of the sun", async () => {
    // The almanac of sun.test.ts: sunset in Berlin at 15:22:06 UTC, sunrise on the next day at 07:08:55 UTC.
    expect(await json("GET", "/modes/night")).toEqual({
      id: "night",
      name: "Night",
      kind: "solar",
      on: false,
      overridden: false,
      available: true,
      on_event: "sunset",
      off_event: "sunrise",
      on_offset_minutes: 0,
      off_offset_minutes: -30,
      next_on: expect.stringMatching(/^2026-01-15T15:22:\d\dZ$/),
      next_off: expect.stringMatching(/^2026-01-16T06:38:\d\dZ$/),
    });
    expect(await json("GET", "/modes/away")).toMatchObject({ kind: "manual", on_event: null, next_on: null });
  });

  runScenarios(
    () => hub,
    [
      { name: "a viewer reads them", path: "/modes", as: "viewer", status: 200, contains: ["night", "away"] },
      {
        name: "a viewer does not turn them",
        method: "PUT",
        path: "/modes/away",
        as: "viewer",
        body: { on: true },
        status: 403,
      },
      {
        name: "a user does",
        method: "PUT",
        path: "/modes/away",
        as: "user",
        body: { on: true },
        status: 200,
        contains: ['"on":true'],
      },
      {
        name: "a device that is no mode is not found",
        method: "PUT",
        path: "/modes/lamp",
        body: { on: true },
        status: 404,
      },
      {
        name: "on is true or false",
        method: "PUT",
        path: "/modes/away",
        body: { on: "yes" },
        status: 400,
        contains: ["on: must be true or false"],
      },
      {
        name: "they are not removed by hand",
        method: "DELETE",
        path: "/devices/away",
        status: 409,
        contains: ["modes.toml"],
      },
    ],
  );

  test("report who turned them, in order", async () => {
    await json("PUT", "/modes/away", { on: true });
    await json("PUT", "/modes/away", { on: false });
    const events = (await json("GET", "/events?limit=3")) as Record<string, unknown>[];
    expect(events.reverse()).toMatchObject([
      { type: "device_command_sent", device_id: "away", plugin_id: "core", source: "user", command: { on: false } },
      { type: "device_state_changed", device_id: "away", change: { kind: "user" } },
      { type: "mode_changed", mode_id: "away", mode_name: "Nobody at home", on: false },
    ]);
  });
});
