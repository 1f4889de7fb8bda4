// Requests that no proper client sends: each is refused in one form, with no secret in it, and the hub goes on.
import { afterAll, beforeAll, expect } from "bun:test";
import { createHubPlace, SECRET } from "../support/hub-place.ts";
import { type Answer, type HubProcess, MQTT_ACCOUNT, type RequestOptions } from "../support/hub-process.ts";
import { openRawSocket } from "../support/raw-socket.ts";
import { story } from "../support/story.ts";

const place = createHubPlace({ isEmpty: true, server: "max_body_bytes = 65536" });
const answers: string[] = [];
const PASSWORD = "typed-password-that-must-not-come-back";
let hub: HubProcess;
let user: string;
beforeAll(async () => {
  hub = await place.start();
  await hub.request("POST", "/auth/users", { body: { username: "uma", password: PASSWORD, role: "user" } });
  user = (await hub.login("uma", PASSWORD)).json<{ token: string }>().token;
});
afterAll(() => place[Symbol.asyncDispose]());

async function refused(status: number, method: string, path: string, options: RequestOptions = {}): Promise<Answer> {
  const answer = await hub.request(method, path, options);
  answers.push(answer.text);
  expect({ method, path: path.slice(0, 100), status: answer.status, text: answer.text.slice(0, 300) }).toMatchObject({
    status,
  });
  expectProblem(answer.headers.get("content-type") ?? "", answer.text, status);
  return answer;
}

function expectProblem(type: string, text: string, status: number): void {
  expect(type).toContain("application/problem+json");
  const problem = JSON.parse(text) as Record<string, unknown>;
  expect(problem).toMatchObject({ status, title: expect.any(String), instance: expect.stringMatching(/^\//) });
  expect(typeof problem.detail).toBe("string");
  expect(problem.error).toBe(problem.detail as string);
  expect(text).not.toMatch(/\bat \S+ \(|node_modules|\.ts:\d/);
}

const step = story("what no proper client sends");

step("bodies that are no JSON, or not the JSON that is asked for", async () => {
  const credentials = { username: "admin", password: PASSWORD };
  for (const body of [`{"username":"admin","password":"${PASSWORD}"`, "", "null", "[]", '"x"', "1", "\u0000"])
    await refused(400, "POST", "/auth/login", { token: null, body });
  await refused(400, "POST", "/auth/login", { token: null });
  await refused(400, "POST", "/auth/login", { token: null, body: { ...credentials, password: 12345678 } });
  await refused(400, "POST", "/auth/login", { token: null, body: { ...credentials, password: [PASSWORD] } });
  const unknown = await refused(400, "POST", "/auth/login", {
    token: null,
    body: { ...credentials, pasword: PASSWORD },
  });
  expect(unknown.text).toContain("pasword");
  const several = await refused(400, "POST", "/auth/users", { body: { username: 1, role: "king", pasword: PASSWORD } });
  expect(several.json<{ problems: unknown[] }>().problems.length).toBeGreaterThan(1);
  await refused(400, "POST", "/auth/users", { body: { username: "a b", password: PASSWORD, role: "user" } });
  await refused(409, "POST", "/auth/users", { body: { username: "UMA", password: PASSWORD, role: "user" } });
  await refused(400, "PATCH", "/auth/users/uma", { body: {} });
  await refused(400, "POST", "/auth/api-keys", { body: { label: " ", role: "user" } });
  await refused(400, "POST", "/auth/api-keys", { body: { label: "x", role: "user", expires_in_days: -1 } });
});

step("bodies of another type", async () => {
  const body = JSON.stringify({ username: "admin", password: PASSWORD });
  for (const type of [
    "text/plain",
    "application/x-www-form-urlencoded",
    "multipart/form-data",
    "text/json",
    "nonsense",
  ])
    await refused(415, "POST", "/auth/login", { token: null, body, headers: { "content-type": type } });
  const admin = JSON.stringify(place.admin);
  for (const type of ["application/json; charset=utf-8", "Application/JSON"]) {
    const headers = { "content-type": type };
    expect((await hub.request("POST", "/auth/login", { token: null, body: admin, headers })).status).toBe(200);
    // Many clients name a type where they send nothing.
    expect((await hub.request("DELETE", "/devices/nobody", { headers })).status).toBe(404);
  }
});

step("bodies that are too large, announced or not", async () => {
  await refused(413, "POST", "/auth/login", { token: null, body: { username: "x", password: "x".repeat(70_000) } });
  await refused(401, "POST", "/auth/users", { token: null, body: { username: "x".repeat(60_000) } });
  using announced = await openRawSocket(hub.port);
  announced.write(
    "POST /api/v1/auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 99999999999\r\n\r\n",
  );
  expect(await announced.status()).toBe(413);
  using chunked = await openRawSocket(hub.port);
  chunked.write(
    "POST /api/v1/auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n",
  );
  for (let chunk = 0; chunk < 20; chunk++) chunked.write(`2000\r\n${"x".repeat(0x2000)}\r\n`);
  chunked.write("0\r\n\r\n");
  // What does not say its length is not read at all.
  expect(await chunked.status()).toBe(411);
  expect((await hub.request("GET", "/health")).status).toBe(200);
});

step("deep bodies are refused in bounded time, and so are keys that reach into prototypes", async () => {
  const deep = `${'{"a":'.repeat(10_000)}1${"}".repeat(10_000)}`;
  for (const body of [deep, "[".repeat(60_000)]) {
    await refused(400, "POST", "/auth/login", { token: null, body });
    await refused(400, "PATCH", "/devices/x/state", { body });
  }
  await refused(400, "PATCH", "/devices/x/state", { body: '{"a":{"__proto__":{"admin":true}}}' });
  const hidden = `{"constructor":{},"username":"admin","password":"${PASSWORD}"}`;
  await refused(400, "POST", "/auth/login", { token: null, body: hidden });
});

step("unknown addresses, wrong methods, broken encodings", async () => {
  await refused(404, "GET", "/nothing", { token: null });
  await refused(404, "GET", "/auth/users/../../nothing");
  await refused(404, "GET", "/devices/no/such/path");
  await refused(404, "GET", `/devices/${"x".repeat(3000)}`);
  const wrong = await refused(405, "DELETE", "/health", { token: null });
  expect(wrong.headers.get("allow")).toBe("GET");
  expect((await refused(405, "PUT", "/auth/users/uma")).headers.get("allow")?.split(", ").sort()).toEqual([
    "DELETE",
    "GET",
    "PATCH",
  ]);
  for (const path of ["/devices/%", "/devices/%zz", "/devices/%c0%af", "/auth/users/%ff", "/plugins/%E0%A4%A"]) {
    const answer = await hub.request("GET", path);
    answers.push(answer.text);
    expect({ path, refused: answer.status === 400 || answer.status === 404 }).toEqual({ path, refused: true });
    expectProblem(answer.headers.get("content-type") ?? "", answer.text, answer.status);
  }
  await refused(400, "GET", "/events?limit=%zz");
  expect((await hub.request("HEAD", "/health", { token: null })).status).toBe(200);
  await refused(404, "GET", "/%61uth/users", { token: null });
});

step("requests that are hardly HTTP", async () => {
  const heads = [
    "GET /api/v1/health HTTP/1.1\r\n\r\n",
    "GET /api/v1/health HTTP/9.9\r\nHost: x\r\n\r\n",
    "BREW /api/v1/health HTTP/1.1\r\nHost: x\r\n\r\n",
    "GET http://[ HTTP/1.1\r\nHost: x\r\n\r\n",
    "GET //api/v1/health HTTP/1.1\r\nHost: x\r\n\r\n",
    `GET /api/v1/health HTTP/1.1\r\nHost: x\r\nX-Large: ${"x".repeat(100_000)}\r\n\r\n`,
    "POST /api/v1/auth/login HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",
    "POST /api/v1/auth/login HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "\u0016\u0003\u0001 not HTTP at all\r\n\r\n",
    "GET /api/v1/auth/me HTTP/1.1\r\nHost: \r\nAuthorization: Bearer \u0001\r\n\r\n",
  ];
  for (const head of heads) {
    using socket = await openRawSocket(hub.port);
    socket.write(head);
    const status = await socket.status(1000).catch(() => 0);
    expect({ head: head.slice(0, 60), ok: status < 500 || status === 505 }).toEqual({
      head: head.slice(0, 60),
      ok: true,
    });
  }
  expect((await hub.request("GET", "/health", { token: null })).status).toBe(200);
});

// What was answered and logged until here.
step("no answer and no log holds a secret", async () => {
  await hub.openStream({}, `${user}x`).catch(() => {});
  await hub.mqtt({ password: PASSWORD }).catch(() => {});
  const admin = await hub.adminToken();
  const reported = hub.output.replace(/^password: .*$/m, "");
  await hub.end();
  const everything = [...answers, reported, place.read("logs", "hub.log")].join("\n");
  const secrets = {
    SECRET,
    PASSWORD,
    mqtt: MQTT_ACCOUNT.password,
    first: place.admin?.password ?? SECRET,
    admin,
    user,
  };
  for (const [name, secret] of Object.entries(secrets)) {
    const at = everything.indexOf(secret);
    expect({ name, found: at < 0 ? "" : everything.slice(Math.max(0, at - 100), at) }).toEqual({ name, found: "" });
  }
  expect(everything).not.toContain("a request failed");
});
