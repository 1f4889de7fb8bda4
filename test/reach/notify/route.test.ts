import { expect, test } from "bun:test";
import { Value } from "@sinclair/typebox/value";
import { Elysia } from "elysia";
import { bugResponse, problemResponse, toHubError } from "../../../src/api/http/errors.ts";
import { notifyRoutes } from "../../../src/api/http/routes/notify.ts";
import type { JsonObject } from "../../../src/kit/schema/json.ts";
import { NotifySection } from "../../../src/reach/notify/config.ts";
import { createNotifier } from "../../../src/reach/notify/notifier.ts";
import { createVirtualClock } from "../../support/virtual-clock.ts";
import { AT, createRig, serveHttp } from "./rig.ts";

const TOKEN = "12345:recognizable-token-of-the-bot";

function apiOf(channels: JsonObject[]) {
  const rig = createRig(createVirtualClock(AT));
  const notifier = createNotifier({
    ...rig.deps,
    section: Value.Default(NotifySection, { channels }) as NotifySection,
    timezone: "Europe/Berlin",
    house: { device: () => undefined, variable: () => undefined },
  });
  const app = new Elysia({ normalize: false })
    .onError(({ code, error, request }) => {
      const { pathname } = new URL(request.url);
      const refusal = toHubError({ code, error }, { log: rig.log, path: pathname, storageFault: () => undefined });
      return refusal ? problemResponse(refusal, pathname) : bugResponse(pathname);
    })
    .use(
      notifyRoutes({
        notifier,
        messenger: { channelsOf: (name) => [name] },
        people: { list: () => [] },
        held: { count: () => 0 },
        notices: {
          listeningProblem: (name) =>
            name === "chat" ? { at: AT, message: "another program asks the same bot" } : undefined,
        },
        outbox: { waiting: (name) => (name === "chat" ? 3 : 0) },
      }),
    );
  return async (
    method: string,
    path: string,
    body?: JsonObject,
  ): Promise<{ status: number; json: JsonObject; text: string }> => {
    const init = body ? { body: JSON.stringify(body), headers: { "content-type": "application/json" } } : {};
    const response = await app.handle(new Request(`http://localhost/notify${path}`, { method, ...init }));
    const text = await response.text();
    expect(text + rig.output.text).not.toContain("recognizable-token");
    return { status: response.status, json: JSON.parse(text), text };
  };
}

const bot = (name: string, url: string, more: JsonObject = {}): JsonObject => ({
  name,
  type: "messaging_bot",
  bot_token: TOKEN,
  chat_id: "7",
  api_url: url,
  ...more,
});

test("a test message returns what each server said", async () => {
  using place = serveHttp(() => ({ json: { ok: true, result: { message_id: 42 } } }));
  const api = apiOf([bot("chat", place.url)]);
  const { status, json } = await api("POST", "/test", { channel: "chat", message: "It is {{now}}", title: "Test" });
  expect(status).toBe(200);
  expect(json).toEqual({
    sent: true,
    channel: "chat",
    deliveries: [
      {
        channel: "chat",
        kind: "messaging_bot",
        ok: true,
        duration_ms: 0,
        status: 200,
        answer: "ok, message 42",
        parts: 1,
      },
    ],
  });
  expect(place.seen[0]?.json.text).toBe("Test\nIt is 2026-11-21 14:02");
});

test("a test message can be tried with its importance and in the markup it is written in", async () => {
  using place = serveHttp(() => ({ json: { ok: true, result: { message_id: 42 } } }));
  const call = apiOf([bot("chat", place.url, { parse_mode: "HTML" })]);
  const body = { channel: "chat", message: "**open**", title: "Door", markup: "markdown", priority: "low" };
  expect((await call("POST", "/test", body)).status).toBe(200);
  expect(place.seen[0]?.json).toMatchObject({ text: "<b>Door</b>\n<b>open</b>", disable_notification: true });
  for (const wrong of [{ priority: "urgent" }, { priority: 3 }, { markup: "rtf" }])
    expect((await call("POST", "/test", { ...body, ...wrong })).status).toBe(400);
});

test("a failure is 502 with the hint, the answer and the time of each channel", async () => {
  using place = serveHttp(({ json }) =>
    json.chat_id === "7"
      ? { status: 403, json: { ok: false, error_code: 403, description: `Forbidden: ${TOKEN}` } }
      : { json: { ok: true } },
  );
  const api = apiOf([bot("chat", place.url), bot("other", place.url, { chat_id: "8" })]);
  const { status, json } = await api("POST", "/test", { channel: "all", message: "x" });
  expect(status).toBe(502);
  expect(json).toMatchObject({
    status: 502,
    code: "upstream_failed",
    sent: false,
    channel: "all",
    hint: "The bot may not write there: it was blocked, removed or never started",
    deliveries: [
      {
        channel: "chat",
        ok: false,
        duration_ms: 0,
        status: 403,
        answer: "Forbidden: [redacted]",
        error: "the Telegram server refused the message: Forbidden: [redacted]",
      },
      { channel: "other", ok: true },
    ],
  });
  expect(json.error).toBe(json.detail as string);
  expect(json.error).toContain("not delivered (1 of 2): chat: ");
});

test.each<[JsonObject, number]>([
  [{ channel: "nobody", message: "x" }, 404],
  [{ channel: "all", message: "x" }, 409],
  [{ channel: "log", message: "" }, 400],
  [{ channel: "log" }, 400],
  [{ channel: "log", message: "x", x: 1 }, 400],
  [{ channel: "log", message: "x".repeat(100_000) }, 200],
])("%j is answered with %d", async (body, status) => {
  expect((await apiOf([])("POST", "/test", body)).status).toBe(status);
});

test("the channels are listed, disabled ones with the reason", async () => {
  using place = serveHttp(() => ({ json: { ok: true } }));
  const api = apiOf([bot("chat", place.url), bot("broken", place.url, { chat_id: "x" })]);
  await api("POST", "/test", { channel: "chat", message: "x" });
  const { status, json } = await api("GET", "/channels");
  expect(status).toBe(200);
  expect(json as unknown).toEqual([
    {
      name: "chat",
      kind: "messaging_bot",
      enabled: true,
      last_success: "2026-11-21T13:02:00Z",
      last_error: null,
      last_note: null,
      answers_problem: { at: "2026-11-21T13:02:00Z", message: "another program asks the same bot" },
      queue: 3,
    },
    {
      name: "broken",
      kind: "messaging_bot",
      enabled: false,
      problem: 'notify.channels[1].chat_id: must be the numeric identifier in quotes, such as "-100123"',
      last_success: null,
      last_error: null,
      last_note: null,
      queue: 0,
    },
    { name: "log", kind: "log", enabled: true, last_success: null, last_error: null, last_note: null, queue: 0 },
  ]);
});
