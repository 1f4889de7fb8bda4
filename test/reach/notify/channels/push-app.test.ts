import { describe, expect, test } from "bun:test";
import type { JsonObject } from "../../../../src/kit/schema/json.ts";
import type { Channel, ChannelMessage } from "../../../../src/reach/notify/channel.ts";
import { createVirtualClock } from "../../../support/virtual-clock.ts";
import { soon, until } from "../../../support/wait.ts";
import { AT, createRig, failureOf, messageOf, never, openFrom, type Rig, serveHttp, serveRaw } from "../rig.ts";

const accepted = { json: { status: 1, request: "647d2300-702c-4b38-8b2f-d56326ae460b" } };

function push(place: { url: string }, more: JsonObject = {}, rig?: Rig): Channel {
  const entry = {
    name: "phone",
    type: "push_app",
    api_key: "azGDORePK8gMaC0QOYAMyEEuzJnyUi",
    user_key: "uQiRzpo4DXghDmr9QzzfQu27cmVRsG",
    api_url: place.url,
  };
  return openFrom({ ...entry, ...more }, rig);
}

async function formOf(more: JsonObject, message = messageOf("The door is open")): Promise<Record<string, string>> {
  using place = serveHttp(() => accepted);
  await push(place, more).send(message, never());
  return Object.fromEntries(place.seen[0]?.form ?? []);
}

describe("push_app", () => {
  test("sends a form with the event's own time", async () => {
    using place = serveHttp(() => accepted);
    const delivery = await push(place).send(messageOf("The door is open"), never());
    expect(delivery).toEqual({
      status: 200,
      answer: "status 1, request 647d2300-702c-4b38-8b2f-d56326ae460b",
      parts: 1,
    });
    expect(place.seen[0]).toMatchObject({ path: "/1/messages.json", contentType: "application/x-www-form-urlencoded" });
    expect(Object.fromEntries(place.seen[0]?.form ?? [])).toEqual({
      token: "azGDORePK8gMaC0QOYAMyEEuzJnyUi",
      user: "uQiRzpo4DXghDmr9QzzfQu27cmVRsG",
      title: "Hub Alert",
      message: "The door is open",
      timestamp: String(AT / 1000),
    });
  });

  test("an emergency always carries retry and expire", async () => {
    expect(await formOf({ priority: 2 })).toMatchObject({ priority: "2", retry: "60", expire: "3600" });
    expect(await formOf({ priority: 2, retry_secs: 30, expire_secs: 10_800 })).toMatchObject({
      retry: "30",
      expire: "10800",
    });
    expect(await formOf({ priority: 1 })).not.toHaveProperty("retry");
    using place = serveHttp(() => ({ json: { status: 1, request: "r", receipt: "rcpt123" } }));
    expect((await push(place, { priority: 2 }).send(messageOf("x"), never())).answer).toBe(
      "status 1, request r, receipt rcpt123",
    );
  });

  test("a message may have its own priority, and a silent one makes no sound", async () => {
    expect(await formOf({ priority: 1 }, messageOf("x", { priority: 2 }))).toMatchObject({
      priority: "2",
      retry: "60",
    });
    expect(await formOf({}, messageOf("x", { silent: true }))).toMatchObject({ priority: "-1" });
    expect(await formOf({ priority: -2 }, messageOf("x", { silent: true }))).toMatchObject({ priority: "-2" });
  });

  test("who may answer gets one link, unless Pushover would refuse the message for its length", async () => {
    const linked = async (more: Partial<ChannelMessage>) => {
      using place = serveHttp(() => ({ json: { status: 1, request: "r" } }));
      await push(place).send(messageOf("x", more), never());
      const form = place.seen[0]?.form;
      return [form?.get("url_title"), form?.get("url")];
    };
    const acknowledgeUrl = "https://hub.example/1";
    const actionLinks = [{ id: "valve", label: "Close", url: "https://hub.example/2" }];
    expect(await linked({ acknowledgeUrl })).toEqual(["Confirm", acknowledgeUrl]);
    expect(await linked({ acknowledgeUrl, actionLinks })).toEqual(["Answer", acknowledgeUrl]);
    expect(await linked({ acknowledgeUrl: acknowledgeUrl.padEnd(513, "x") })).toEqual([null, null]);
  });

  test("an empty device means all devices", async () => {
    expect(await formOf({ device: "", sound: "siren" })).not.toHaveProperty("device");
    expect(await formOf({ device: "droid2", sound: "siren" })).toMatchObject({ device: "droid2", sound: "siren" });
  });

  test("long texts end with an ellipsis, between characters", async () => {
    const { title, message } = await formOf({}, messageOf("👨‍👩‍👧".repeat(1000), { title: "é".repeat(300) }));
    expect([...(title ?? "")].length).toBe(250);
    expect([...(message ?? "")].length).toBeLessThanOrEqual(1024);
    expect(message?.replaceAll("👨‍👩‍👧", "")).toBe("…");
    expect((await formOf({}, messageOf("x".repeat(100_000)))).message).toBe(`${"x".repeat(1023)}…`);
    expect((await formOf({}, messageOf("🔔".repeat(2000)))).message).toBe(`${"🔔".repeat(1023)}…`);
  });

  test("the number of repetitions stays when the message is shortened", async () => {
    const repeats = "(12 times since 14:02)";
    expect((await formOf({}, messageOf("cold", { repeats }))).message).toBe(`cold ${repeats}`);
    const { message = "" } = await formOf({}, messageOf("é ".repeat(1000), { repeats }));
    expect(message).toEndWith(`… ${repeats}`);
    expect([...message].length).toBeGreaterThan(1020);
    expect([...message].length).toBeLessThanOrEqual(1024);
    const marked = await formOf({ html: true }, messageOf(`<b>${"x".repeat(2000)}</b>`, { repeats }));
    expect(marked.message).toMatch(/^<b>x{990,}…<\/b> \(12 times since 14:02\)$/);
    expect([...(marked.message ?? "")].length).toBeLessThanOrEqual(1024);
  });

  test("a blank message is sent as its title, emoji alone are fine", async () => {
    expect((await formOf({}, messageOf(" \n", { title: "Bell" }))).message).toBe("Bell");
    expect((await formOf({}, messageOf("🔔"))).message).toBe("🔔");
  });

  test("with html = true values are escaped", async () => {
    expect(await formOf({ html: true })).toMatchObject({ html: "1" });
    expect(await formOf({})).not.toHaveProperty("html");
    using place = serveHttp(() => accepted);
    const pieces = [{ markup: "<b>" }, { value: "a<b>_c.d&e" }, { markup: "</b>" }];
    expect(push(place, { html: true }).compose(pieces)).toBe("<b>a&lt;b&gt;_c.d&amp;e</b>");
    expect(push(place).compose(pieces)).toBe("<b>a<b>_c.d&e</b>");
    const blank = messageOf("", { title: "a<b", repeats: "(2 times since 14:02)" });
    expect(await formOf({ html: true }, blank)).toMatchObject({
      title: "a<b",
      message: "a&lt;b (2 times since 14:02)",
    });
  });

  test.each([
    [
      400,
      { token: "invalid", errors: ["application token is invalid"], status: 0 },
      { transient: false, hint: expect.stringContaining("api_key"), answer: "application token is invalid" },
    ],
    [
      400,
      { user: "invalid", errors: ["user identifier is invalid"], status: 0 },
      { transient: false, hint: expect.stringContaining("user_key") },
    ],
    [200, { status: 0, errors: ["no"] }, { transient: false }],
    [200, { request: "x" }, { transient: false }],
    [
      429,
      { status: 0, errors: ["message limit reached"] },
      { transient: true, hint: expect.stringContaining("quota") },
    ],
    [500, { status: 0 }, { transient: true, retryAfterMs: 5000, mayBeTheMessage: true }],
    [503, "down", { transient: true, retryAfterMs: 5000, mayBeTheMessage: true }],
    [200, "<html>", { transient: false }],
  ])("%d %j", async (status, json, fault) => {
    using place = serveHttp(() => ({ status, json, headers: { "x-limit-app-reset": "1796083200" } }));
    const failure = await failureOf(push(place).send(messageOf("x"), never()));
    expect(failure.fault).toMatchObject({ ...fault, status });
    expect(place.seen).toHaveLength(1);
    if (status === 429) expect(failure.message).toContain("until 2026-12-01");
  });

  test.each([
    ["closes", (socket: import("node:net").Socket) => void socket.once("data", () => socket.destroy())],
    [
      "hangs half-way",
      (socket: import("node:net").Socket) =>
        void socket.once("data", () => void socket.write("HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{")),
    ],
  ])("a server that %s is asked again, not before five seconds", async (_name, behave) => {
    using place = await serveRaw(behave);
    const failure = await failureOf(push(place).send(messageOf("x"), AbortSignal.timeout(150)));
    expect(failure.fault).toMatchObject({ transient: true, retryAfterMs: 5000 });
  });

  test.each<[string, Record<string, string>, number]>([
    ["says how long", { "retry-after": "7" }, 7000],
    ["says when the quota is renewed", { "x-limit-app-reset": String(AT / 1000 + 600) }, 600_000],
    ["says nothing", {}, 3_600_000],
    ["says what makes no sense", { "x-limit-app-reset": "1" }, 3_600_000],
  ])("a service that accepts no more and %s gets no other try for that long", async (_name, headers, retryAfterMs) => {
    using place = serveHttp(() => ({ status: 429, json: { status: 0, errors: ["limit reached"] }, headers }));
    const failure = await failureOf(push(place, {}, createRig(createVirtualClock(AT))).send(messageOf("x"), never()));
    expect(failure.fault).toMatchObject({ transient: true, retryAfterMs });
  });

  test("a text that is refused is sent once more as plain text, and only what is about the text", async () => {
    const refusal = {
      status: 400,
      json: { message: "cannot be blank", errors: ["message cannot be blank"], status: 0 },
    };
    using place = serveHttp(({ form }) => (form.has("html") ? refusal : accepted));
    const delivery = await push(place, { html: true }).send(messageOf("<b>a</b> &lt; b"), never());
    expect(delivery).toMatchObject({
      note: "sent as plain text, as the text was refused: message cannot be blank",
      refusedText: "message cannot be blank",
    });
    expect(place.seen.map(({ form }) => form.get("message"))).toEqual(["<b>a</b> &lt; b", "a < b"]);
  });

  test("a redirect is not followed with the keys", async () => {
    using other = serveHttp(() => accepted);
    using place = serveHttp(() => Response.redirect(other.url, 307));
    expect((await failureOf(push(place).send(messageOf("x"), never()))).fault.transient).toBe(true);
    expect(other.seen).toEqual([]);
  });

  test("at most two connections, over all channels; a cancelled one frees its place", async () => {
    const answers: (() => void)[] = [];
    using place = serveHttp(() => new Promise((resolve) => answers.push(() => resolve(accepted))));
    const rig = createRig();
    const stop = new AbortController();
    const sending = ["one", "two", "three", "four"].map((name, index) =>
      push(place, { name }, rig)
        .send(messageOf(name), index === 0 ? stop.signal : never())
        .catch(() => "gave up"),
    );
    const texts = () => place.seen.map(({ form }) => form.get("message"));
    await until("two requests", () => place.seen.length === 2);
    stop.abort();
    await until("the third", () => place.seen.length === 3);
    // The fourth comes only when the second is done, and not with the third.
    expect(texts()).toEqual(["one", "two", "three"]);
    answers[1]?.();
    await until("the fourth", () => place.seen.length === 4);
    for (const answer of answers) answer();
    const done = await soon("all", Promise.all(sending));
    expect(done.filter((each) => each === "gave up")).toHaveLength(1);
  });
});
