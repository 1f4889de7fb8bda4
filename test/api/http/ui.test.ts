// /ui: layouts of people and of all, and what guests may use, at the door of a whole hub.
import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { runScenarios } from "../../support/scenarios.ts";
import { startTestHub, type TestHub } from "../../support/test-hub.ts";

let hub: TestHub;
let viewer = "";
let user = "";
beforeAll(async () => {
  hub = await startTestHub();
  viewer = await hub.tokenFor("viewer");
  user = await hub.tokenFor("user");
  const { adminToken: token } = hub;
  for (const id of ["lamp", "alarm", "a b"]) await hub.request("POST", "/switches", { token, body: { id } });
  for (const id of ["evening", "leave", "capture"])
    await hub.request("POST", "/scenes", { token, body: { id, name: id, states: { alarm: { on: true } } } });
});
afterAll(() => hub[Symbol.asyncDispose]());

const EMPTY = { areas: [], tiles: [], hidden: [], favourites: [] };
const with_ = (favourites: string[]) => ({ ...EMPTY, favourites });

async function ask(method: string, path: string, token: string, body?: unknown, headers: Record<string, string> = {}) {
  const response = await hub.request(method, path, { token, ...(body !== undefined && { body }), headers });
  const text = await response.text();
  return {
    status: response.status,
    etag: response.headers.get("etag") ?? "",
    body: text === "" ? undefined : JSON.parse(text),
  };
}

describe("layouts", () => {
  test("each person has their own, the others that of all", async () => {
    expect((await ask("GET", "/ui/layout", viewer)).body).toEqual(EMPTY);
    expect((await ask("PUT", "/ui/layout", user, with_(["device/lamp"]))).status).toBe(200);
    expect((await ask("PUT", "/ui/layout/default", hub.adminToken, with_(["scene/evening"]))).status).toBe(200);
    expect((await ask("GET", "/ui/layout", viewer)).body).toEqual(with_(["scene/evening"]));
    expect((await ask("GET", "/ui/layout", user)).body).toEqual(with_(["device/lamp"]));
    expect((await ask("DELETE", "/ui/layout", user)).body).toEqual(with_(["scene/evening"]));
    expect((await ask("GET", "/ui/layout", user)).body).toEqual(with_(["scene/evening"]));
  });

  test("two browsers do not overwrite each other", async () => {
    const { etag } = await ask("GET", "/ui/layout", user);
    const first = await ask("PUT", "/ui/layout", user, with_(["device/lamp"]), { "if-match": etag });
    expect(first.status).toBe(200);
    const second = await ask("PUT", "/ui/layout", user, with_(["device/alarm"]), { "if-match": etag });
    expect(second).toMatchObject({ status: 409, body: { code: "conflict" } });
    const third = await ask("PUT", "/ui/layout", user, with_(["device/alarm"]), { "if-match": first.etag });
    expect(third.status).toBe(200);
  });

  test("a tile is kept once, and too much is refused", async () => {
    expect((await ask("PUT", "/ui/layout", user, with_(["device/a", "device/a"]))).body).toEqual(with_(["device/a"]));
    const tiles = Array.from({ length: 2000 }, (_, at) => `device/${at}-${"x".repeat(200)}`);
    expect(await ask("PUT", "/ui/layout", user, { ...EMPTY, tiles })).toMatchObject({
      status: 413,
      body: { detail: "a layout has at most 262144 bytes: take tiles out of it" },
    });
  });

  test("a key has the layout of all, and keeps none", async () => {
    const { body } = await ask("POST", "/auth/api-keys", hub.adminToken, { label: "wall", role: "viewer" });
    expect((await ask("GET", "/ui/layout", body.key)).status).toBe(200);
    expect((await ask("PUT", "/ui/layout", body.key, EMPTY)).status).toBe(403);
  });

  test("it goes with its person", async () => {
    const { adminToken } = hub;
    const person = { username: "gone", password: "long enough", role: "user" };
    await ask("POST", "/auth/users", adminToken, person);
    const { body } = await ask("POST", "/auth/login", "", { username: "gone", password: "long enough" });
    await ask("PUT", "/ui/layout", body.token, with_(["device/lamp"]));
    expect((await ask("DELETE", "/auth/users/gone", adminToken)).status).toBe(204);
  });
});

describe("guests", () => {
  const command = (id: string, token: string) => ask("PATCH", `/devices/${id}/state`, token, { on: true });
  const activate = (id: string, token: string) => ask("POST", `/scenes/${id}/activate`, token);
  const choose = (chosen: { devices: string[]; scenes: string[] }) => ask("PUT", "/ui/guests", hub.adminToken, chosen);
  afterEach(() => choose({ devices: [], scenes: [] }));

  test("use what was chosen for them, and nothing else", async () => {
    expect((await command("lamp", viewer)).status).toBe(403);
    const chosen = { devices: ["lamp", "a b"], scenes: ["evening"] };
    expect((await choose(chosen)).body).toEqual(chosen);
    expect((await ask("GET", "/ui/guests", viewer)).body).toEqual(chosen);
    expect((await command("lamp", viewer)).status).toBe(202);
    expect((await command("a%20b", viewer)).status).toBe(202);
    expect((await activate("evening", viewer)).status).toBe(200);
    expect((await command("alarm", viewer)).status).toBe(403);
    expect((await command("evening", viewer)).status).toBe(403);
    expect((await activate("leave", viewer)).status).toBe(403);
    expect((await activate("lamp", viewer)).status).toBe(403);
  });

  test("only command it: all other ways to the same thing stay shut", async () => {
    await choose({ devices: ["lamp"], scenes: ["evening"] });
    const rows: [string, string, unknown][] = [
      ["PATCH", "/devices/lamp", { name: "Mine" }],
      ["DELETE", "/devices/lamp", undefined],
      ["DELETE", "/scenes/evening", undefined],
      ["PUT", "/scenes/evening", { name: "x", states: {} }],
      ["POST", "/scenes/evening/capture", {}],
      ["POST", "/scenes/capture", { name: "x", device_ids: ["lamp"] }],
      ["PATCH", "/switches/lamp", { name: "x" }],
      ["PUT", "/ui/guests", { devices: ["alarm"], scenes: [] }],
    ];
    for (const [method, path, body] of rows)
      expect({ path, status: (await ask(method, path, viewer, body)).status }).toEqual({ path, status: 403 });
  });

  test("the address decides by what the handler is given, however it is written", async () => {
    const { api } = hub;
    await choose({ devices: ["lamp"], scenes: [] });
    for (const path of ["/devices/lamp/../alarm/state", "/devices/lamp%2F..%2Falarm/state", "/devices/LAMP/state"]) {
      const answer = await fetch(api + path, {
        method: "PATCH",
        headers: { authorization: `Bearer ${viewer}`, "content-type": "application/json" },
        body: '{"on":true}',
      });
      expect({ path, status: answer.status }).toMatchObject({ path, status: 403 });
    }
  });

  test("a scene that is called as an address is one of them too", async () => {
    expect((await activate("capture", viewer)).status).toBe(403);
    await choose({ devices: [], scenes: ["capture"] });
    expect((await activate("capture", viewer)).status).toBe(200);
    expect((await command("lamp", viewer)).status).toBe(403);
  });

  test("a key for reading stays one", async () => {
    await choose({ devices: ["lamp"], scenes: [] });
    const { body } = await ask("POST", "/auth/api-keys", hub.adminToken, { label: "panel", role: "viewer" });
    expect((await command("lamp", body.key)).status).toBe(403);
    expect((await command("lamp", viewer)).status).toBe(202);
  });
});

runScenarios(
  () => hub,
  [
    { name: "nobody reads a layout", path: "/ui/layout", as: "nobody", status: 401 },
    {
      name: "a user does not choose for all",
      method: "PUT",
      path: "/ui/layout/default",
      as: "user",
      body: EMPTY,
      status: 403,
    },
    {
      name: "nor for guests",
      method: "PUT",
      path: "/ui/guests",
      as: "user",
      body: { devices: [], scenes: [] },
      status: 403,
    },
    {
      name: "a tile names its kind",
      method: "PUT",
      path: "/ui/layout",
      body: with_(["lamp"]),
      status: 400,
      contains: ["device/ID"],
    },
    { name: "more keys are refused", method: "PUT", path: "/ui/layout", body: { ...EMPTY, colour: 1 }, status: 400 },
  ],
);
