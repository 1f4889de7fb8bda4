// biome-ignore-all lint/suspicious/noTemplateCurlyInString: placeholders of blueprints look like those of JavaScript.
// /blueprints over the API: who may do what, texts with their ETag, and rules made of one.
import { afterEach, beforeEach, expect, test } from "bun:test";
import { startTestHub, type TestHub } from "../../support/test-hub.ts";

let hub: TestHub;
beforeEach(async () => {
  hub = await startTestHub();
});
afterEach(async () => {
  await hub[Symbol.asyncDispose]();
});

async function ask(
  method: string,
  path: string,
  more: { body?: unknown; token?: string; headers?: Record<string, string> } = {},
) {
  const answer = await hub.request(method, path, { token: hub.adminToken, ...more });
  const text = await answer.text();
  const isJson = answer.headers.get("content-type")?.includes("json");
  return {
    status: answer.status,
    etag: answer.headers.get("etag") ?? "",
    text,
    json: isJson ? JSON.parse(text) : undefined,
  };
}

const SECRET = `name = "Call"
[inputs.word]
type = "text"
name = "Password"
[trigger]
type = "webhook_received"
path = "open"
secret = "\${word}"
[[actions]]
type = "log_message"
message = "called"
`;

test("the list says what there is, for everybody; texts and changes are for administrators", async () => {
  const viewer = await hub.tokenFor("viewer");
  const { json } = await ask("GET", "/blueprints", { token: viewer });
  const light = json.find(({ id }: { id: string }) => id === "motion-light");
  expect(light).toMatchObject({ name: "Motion light", source: "shipped", used_by: [], problems: [] });
  expect(light.inputs).toContainEqual(
    expect.objectContaining({ id: "off_after", type: "duration", name: "Off after", default: "5m", required: false }),
  );
  expect((await ask("GET", "/blueprints/motion-light/text", { token: viewer })).status).toBe(403);
  const user = await hub.tokenFor("user");
  const made = { name: "x", inputs: {} };
  expect((await ask("POST", "/blueprints/motion-light/rules", { token: user, body: made })).status).toBe(403);
  expect((await ask("DELETE", "/blueprints/motion-light")).json.code).toBe("conflict");
});

test("a rule of a blueprint: made, shown, refused with the input that is wrong, and changed", async () => {
  const inputs = { sensors: ["a_motion"], lamps: ["a_lamp"] };
  const made = await ask("POST", "/blueprints/motion-light/rules", { body: { name: "Hall", inputs, tags: ["mine"] } });
  expect(made.status).toBe(201);
  expect(made.json).toMatchObject({ name: "Hall", use: "motion-light", inputs, tags: ["mine"], state: "enabled" });
  const { id } = made.json;
  expect((await ask("GET", `/rules/${id}/text`)).text).toContain("motion-light");
  const wrong = await ask("POST", "/blueprints/motion-light/rules", {
    body: { name: "Hall", inputs: { ...inputs, off_after: "soon" } },
  });
  expect(wrong.status).toBe(400);
  expect(wrong.json.problems).toEqual([
    { path: "inputs.off_after", message: expect.stringContaining("must be a duration") },
  ]);
  const changed = { name: "Hall", use: "motion-light", inputs: { ...inputs, off_after: 90 } };
  expect((await ask("PUT", `/rules/${id}`, { body: changed })).json).toMatchObject({ inputs: { off_after: 90 } });
  expect((await ask("GET", "/blueprints/motion-light")).json.used_by).toEqual([{ id, name: "Hall" }]);
  expect((await ask("POST", "/blueprints/nothing/rules", { body: changed })).status).toBe(400);
});

test("an own blueprint is made and replaced by its text; a secret input is shown to administrators only", async () => {
  const put = await ask("PUT", "/blueprints/call/text", { body: SECRET });
  expect(put).toMatchObject({ status: 200, json: { id: "call", source: "own", shadows: false } });
  const stale = { body: SECRET.replace("called", "again"), headers: { "if-match": '"old"' } };
  expect((await ask("PUT", "/blueprints/call/text", stale)).status).toBe(409);
  expect((await ask("PUT", "/blueprints/call/text", { ...stale, headers: { "if-match": put.etag } })).status).toBe(200);
  const broken = await ask("PUT", "/blueprints/call/text", { body: SECRET.replace("${word}", "${wrod}") });
  expect(broken.json.problems[0]).toMatchObject({ path: "trigger.secret", line: 8 });

  const body = { name: "Door", inputs: { word: "a password that is long enough" } };
  const { json } = await ask("POST", "/blueprints/call/rules", { body });
  expect(json.inputs).toEqual(body.inputs);
  const seen = await ask("GET", `/rules/${json.id}`, { token: await hub.tokenFor("viewer") });
  expect(seen.text).not.toContain("a password");
  expect(seen.json).toMatchObject({ use: "call", inputs: { word: "•••" } });
  expect((await ask("DELETE", "/blueprints/call")).status).toBe(204);
  expect((await ask("GET", `/rules/${json.id}`)).json).toMatchObject({ state: "broken", running_version: "last_good" });
});
