// A rule that finds its devices by the tags and the area that people give them, in a whole hub.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { createTemporaryFolder } from "../../support/temporary-folder.ts";
import { startTestHub, type TestHub } from "../../support/test-hub.ts";

const folder = createTemporaryFolder();
let hub: TestHub;
beforeAll(async () => {
  hub = await startTestHub({ folder });
});
afterAll(async () => {
  await hub[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

async function ask<T = Record<string, unknown>>(method: string, path: string, body?: unknown): Promise<T> {
  const response = await hub.request(method, path, { token: hub.adminToken, ...(body === undefined ? {} : { body }) });
  return (await response.json()) as T;
}

const isOn = async (id: string) => (await ask<{ attributes: { on: boolean } }>("GET", `/devices/${id}`)).attributes.on;

test("switches by tag and area; what is in the house counts at that moment, and what is not is a warning", async () => {
  for (const id of ["star", "tree", "lamp"]) await ask("POST", "/switches", { id });
  expect(await ask("PATCH", "/devices/star", { tags: ["xmas", "xmas"], area: "hall" })).toMatchObject({
    tags: ["xmas"],
  });
  const { id, warnings } = await ask<{ id: string; warnings: { path: string; message: string }[] }>("POST", "/rules", {
    name: "Lights",
    actions: [
      { type: "set_device_state", tag: "xmas", state: { on: true } },
      { type: "set_device_state", area: "attic", device_type: ["switch", "fan"], state: { on: true } },
    ],
  });
  expect(warnings.map(({ path, message }) => `${path}: ${message}`)).toEqual([
    'actions[1].area: there is no area "attic" at present; the rule does its part as soon as there is one',
    'actions[1].device_type[1]: there is no device of the type "fan" at present; the rule does its part as soon as there is one',
  ]);
  await ask("PATCH", "/devices/tree", { tags: ["xmas"] });
  const trace = await ask<{ actions: { result: string; detail: string }[] }>("POST", `/rules/${id}/run`);
  expect(trace.actions.map(({ result, detail }) => `${result}: ${detail}`)).toEqual([
    'ok: star, tree {"on":true}',
    "ok: nothing: there is no switch or fan in attic at present",
  ]);
  expect(await Promise.all(["star", "tree", "lamp"].map(isOn))).toEqual([true, true, false]);
});

test("an expression sees the same devices, and a message is filled in with it", async () => {
  for (const id of ["desk", "shelf", "window"]) {
    await ask("POST", "/switches", { id });
    await ask("PATCH", `/devices/${id}`, { area: "study" });
  }
  for (const id of ["desk", "shelf"]) await ask("PATCH", `/devices/${id}/state`, { on: true });
  const { id } = await ask<{ id: string }>("POST", "/rules", {
    name: "Tells",
    actions: [
      {
        type: "log_message",
        message: "{{= devices('study', 'switch').count(d, d.on) }} of {{= devices('study','switch').size() }}",
      },
      { type: "set_variable", name: "dice", expression: "random(1, 6)" },
    ],
  });
  const { actions } = await ask<{ actions: { detail: string }[] }>("POST", `/rules/${id}/run`);
  expect(actions[0]?.detail).toBe("info: 2 of 3");
  expect(actions[1]?.detail).toMatch(/^vars\.dice = [1-6]$/);
});

test("tags are bounded, and only words", async () => {
  await ask("POST", "/switches", { id: "bare" });
  for (const tags of [[""], [1], Array.from({ length: 51 }, (_, n) => `t${n}`), "xmas"]) {
    const response = await hub.request("PATCH", "/devices/bare", { token: hub.adminToken, body: { tags } });
    expect(response.status).toBe(400);
  }
});
