// Areas, scenes and variables as clients see them.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { runScenarios, runSteps } from "../../support/scenarios.ts";
import { startTestHub, type TestHub } from "../../support/test-hub.ts";

let hub: TestHub;
beforeAll(async () => {
  hub = await startTestHub();
});
afterAll(() => hub[Symbol.asyncDispose]());

describe("areas", () => {
  runScenarios(
    () => hub,
    [
      { name: "an unknown one", path: "/areas/attic", status: 404, contains: ["attic"] },
      { name: "without a name", method: "POST", path: "/areas", body: {}, status: 400, contains: ["name: missing"] },
      { name: "with a blank name", method: "POST", path: "/areas", body: { name: " " }, status: 400 },
      {
        name: "with an unknown key",
        method: "POST",
        path: "/areas",
        body: { name: "Attic", floor: 2 },
        status: 400,
        contains: ["floor"],
      },
    ],
  );

  test("one is made, read and renamed", () =>
    runSteps(hub, [
      {
        name: "one is made, with an id from its name",
        method: "POST",
        path: "/areas",
        as: "user",
        body: { name: "Living Room" },
        status: 201,
        contains: ['{"id":"living_room","name":"Living Room","devices":0,"declared":true}'],
      },
      { name: "not twice", method: "POST", path: "/areas", body: { name: "living room" }, status: 409 },
      { name: "all", path: "/areas", as: "viewer", status: 200, contains: ['{"id":"living_room"'] },
      { name: "one", path: "/areas/living_room", as: "viewer", status: 200, contains: ['"devices":0'] },
      {
        name: "renamed",
        method: "PATCH",
        path: "/areas/living_room",
        as: "user",
        body: { name: "Lounge" },
        status: 200,
        contains: ['"name":"Lounge"'],
      },
    ]));

  test("one with an id of spaces is made, found and removed", () =>
    runSteps(hub, [
      {
        name: "with an id of spaces",
        method: "POST",
        path: "/areas",
        body: { name: "Attic", id: "the attic" },
        status: 201,
      },
      { name: "found by it", path: "/areas/the%20attic", status: 200, contains: ['"the attic"'] },
      { name: "removed", method: "DELETE", path: "/areas/the%20attic", as: "user", status: 204 },
      { name: "removed again", method: "DELETE", path: "/areas/the%20attic", status: 404 },
    ]));
});

describe("variables", () => {
  const path = "/variables/guests";
  runScenarios(
    () => hub,
    [
      {
        name: "without a value",
        method: "PUT",
        path,
        body: {},
        status: 400,
        contains: ["value: missing: must be any JSON"],
      },
      { name: "a bare value", method: "PUT", path, body: 5, status: 400 },
      {
        name: "with an unknown key",
        method: "PUT",
        path,
        body: { value: 1, ttl: 5 },
        status: 400,
        contains: ["ttl"],
      },
      {
        name: "a name with a slash",
        method: "PUT",
        path: "/variables/a%2Fb",
        body: { value: 1 },
        status: 400,
        contains: ["without /"],
      },
      {
        name: "a value too large",
        method: "PUT",
        path,
        body: { value: "x".repeat(65_536) },
        status: 413,
        contains: ["65538 bytes"],
      },
      { name: "an unknown one", path: "/variables/nobody", status: 404, contains: ["nobody"] },
    ],
  );

  test("one is written, read and removed, and every write is an event", () =>
    runSteps(hub, [
      { name: "none yet", path: "/variables", as: "viewer", status: 200, contains: ["[]"] },
      {
        name: "written",
        method: "PUT",
        path,
        as: "user",
        body: { value: { adults: 2 } },
        status: 200,
        contains: ['{"name":"guests","value":{"adults":2},"updated_at":"'],
      },
      { name: "null is a value", method: "PUT", path, body: { value: null }, status: 200, contains: ['"value":null'] },
      { name: "false is one", method: "PUT", path, body: { value: false }, status: 200, contains: ['"value":false'] },
      { name: "0 is one", method: "PUT", path, body: { value: 0 }, status: 200, contains: ['"value":0'] },
      { name: "read", path, as: "viewer", status: 200, contains: ['"value":0'] },
      { name: "removed", method: "DELETE", path, as: "user", status: 204 },
      { name: "removed again", method: "DELETE", path, status: 404 },
      {
        name: "every write was an event, with the previous value",
        path: "/events?type=hub_variable_changed",
        status: 200,
        contains: ['"value":false,"previous_value":null', '"value":null,"previous_value":0'],
      },
    ]));
});

describe("scenes", () => {
  const path = "/scenes/evening";
  runScenarios(
    () => hub,
    [
      { name: "an unknown one", path: "/scenes/capture", status: 404 },
      { name: "an unknown one is activated", method: "POST", path: "/scenes/nobody/activate", status: 404 },
      {
        name: "made from an unknown device",
        method: "POST",
        path: "/scenes/capture",
        as: "user",
        body: { name: "As it is", device_ids: ["nobody"] },
        status: 404,
      },
    ],
  );

  test("one is made, changed, replaced, activated, captured and removed", () =>
    runSteps(hub, [
      {
        name: "one is made",
        method: "POST",
        path: "/scenes",
        as: "user",
        body: { id: "evening", name: "Evening", states: { lamp: { on: true } } },
        status: 201,
        contains: ['"id":"evening"', '"states":{"lamp":{"on":true}}', '"updated_at":"'],
      },
      {
        name: "not twice",
        method: "POST",
        path: "/scenes",
        body: { id: "evening", name: "Evening", states: {} },
        status: 409,
      },
      { name: "all", path: "/scenes", as: "viewer", status: 200, contains: ['[{"id":"evening"'] },
      { name: "one", path, as: "viewer", status: 200, contains: ['"name":"Evening"'] },
      {
        name: "changed in part",
        method: "PATCH",
        path,
        as: "user",
        body: { name: "Night" },
        status: 200,
        contains: ['"name":"Night","states":{"lamp":{"on":true}}'],
      },
      { name: "changed in nothing", method: "PATCH", path, body: {}, status: 400 },
      {
        name: "replaced",
        method: "PUT",
        path,
        as: "user",
        body: { name: "Late", states: { fan: { on: false } } },
        status: 200,
        contains: ['"name":"Late","states":{"fan":{"on":false}}'],
      },
      {
        name: "replaced by half of one",
        method: "PUT",
        path,
        body: { name: "Late" },
        status: 400,
        contains: ["states"],
      },
      {
        name: "an invalid state",
        method: "PATCH",
        path,
        body: { states: { lamp: true } },
        status: 400,
        contains: ["states.lamp"],
      },
      {
        name: "an empty state",
        method: "PATCH",
        path,
        body: { states: { lamp: {}, fan: { _hc: {} } } },
        status: 400,
        contains: ['"path":"states.lamp"', '"path":"states.fan._hc"'],
      },
      {
        name: "activated: 200 with the reason, even where nothing could be sent",
        method: "POST",
        path: `${path}/activate?force=true`,
        as: "user",
        status: 200,
        contains: ['{"scene_id":"evening","sent":[],"failed":[{"device_id":"fan","code":"not_found"'],
      },
      { name: "is an event", path: "/events?type=scene_activated", status: 200, contains: ['"scene_name":"Late"'] },
      { name: "captured, without a body", method: "POST", path: `${path}/capture`, as: "user", status: 200 },
      { name: "captured, with an empty one", method: "POST", path: `${path}/capture`, body: {}, status: 200 },
      {
        name: "captured from an unknown device",
        method: "POST",
        path: `${path}/capture`,
        body: { device_ids: ["nobody"] },
        status: 404,
        contains: ["nobody"],
      },
      {
        name: "captured from no device",
        method: "POST",
        path: `${path}/capture`,
        body: { device_ids: [] },
        status: 400,
        contains: ["device_ids"],
      },
      { name: "removed", method: "DELETE", path, as: "user", status: 204 },
      { name: "removed again", method: "DELETE", path, status: 404 },
    ]));
});

test("the OpenAPI document shows what each of their routes answers", async () => {
  type Operation = { responses: Record<string, { content?: Record<string, { schema?: object }> }> };
  const document = (await (await hub.request("GET", "/openapi.json")).json()) as {
    paths: Record<string, Record<string, Operation>>;
  };
  const shown = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, { responses }]) => {
      const [, route] = /^\/api\/v1(\/(?:areas|scenes|variables)(?:\/.*)?)$/.exec(path) ?? [];
      const schema = (responses["200"] ?? responses["201"])?.content?.["application/json"]?.schema;
      return route === undefined ? [] : [`${method} ${route} ${responses["204"] || schema ? "is shown" : "is not"}`];
    }),
  );
  expect(shown).toHaveLength(18);
  expect(shown.filter((line) => line.endsWith("is not"))).toEqual([]);
});
