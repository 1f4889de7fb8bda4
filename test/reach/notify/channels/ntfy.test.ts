import { describe, expect, test } from "bun:test";
import type { JsonObject } from "../../../../src/kit/schema/json.ts";
import type { Channel, ChannelMessage } from "../../../../src/reach/notify/channel.ts";
import { createVirtualClock } from "../../../support/virtual-clock.ts";
import { AT, configOf, createRig, failureOf, messageOf, never, openFrom, type Rig, serveHttp } from "../rig.ts";
import { type NtfyRules, type Published, serveNtfy } from "../strict-ntfy.ts";

const TOKEN = "tk_AgQdq7mVBoFD37zQVN29RhuMzNIz2";

function topic(place: { url: string }, more: JsonObject = {}, rig?: Rig): Channel {
  return openFrom({ name: "push", type: "ntfy", server: place.url, topic: "house-x7", token: TOKEN, ...more }, rig);
}

async function shownOf(
  more: JsonObject,
  message: ChannelMessage = messageOf("The door is open"),
  rules: NtfyRules = {},
): Promise<Published> {
  using place = serveNtfy({ token: TOKEN, ...rules });
  await topic(place, more).send(message, never());
  const [published] = place.shown.values();
  if (!published) throw new Error("nothing was published");
  return published;
}

describe("ntfy", () => {
  test("publishes to its topic; the message's id is its sequence", async () => {
    using place = serveNtfy({ token: TOKEN });
    const delivery = await topic(place, { tags: ["house"] }).send(messageOf("The door is open"), never());
    expect(delivery).toEqual({ status: 200, answer: "message msg1", parts: 1, remote: "0f0e" });
    expect(place.shown.get("0f0e")).toEqual({
      ...{ id: "msg1", topic: "house-x7", title: "Hub Alert", message: "The door is open" },
      ...{ tags: ["house"], sequence_id: "0f0e" },
    });
  });

  test("a copy that arrives twice takes the place of the first", async () => {
    using place = serveNtfy({ token: TOKEN });
    for (const _ of [1, 2]) await topic(place).send(messageOf("The door is open"), never());
    expect(place.seen).toHaveLength(2);
    expect([...place.shown.keys()]).toEqual(["0f0e"]);
  });

  test("a message is changed and taken back where the server can", async () => {
    using place = serveNtfy({ token: TOKEN });
    const channel = topic(place);
    const { remote = "" } = await channel.send(messageOf("open"), never());
    await channel.change?.(remote, messageOf("closed", { id: "another" }), never());
    expect([...place.shown.values()]).toMatchObject([{ message: "closed", sequence_id: "0f0e" }]);
    await channel.remove?.(remote, never());
    expect(place.shown.size).toBe(0);

    using old = serveNtfy({ sequences: false });
    expect(await topic(old).send(messageOf("open"), never())).not.toHaveProperty("remote");
    const failure = await failureOf(topic(old).remove?.("0f0e", never()) ?? Promise.resolve());
    expect(failure.fault).toMatchObject({ transient: false, hint: expect.stringContaining("2.16") });
  });

  test.each<[number | undefined, JsonObject, Partial<ChannelMessage>]>([
    [undefined, {}, {}],
    [1, {}, { priority: -2 }],
    [2, {}, { priority: -1 }],
    [3, {}, { priority: 0 }],
    [4, {}, { priority: 1 }],
    [5, {}, { priority: 2 }],
    [4, { priority: 1 }, {}],
    [5, { priority: 1 }, { priority: 2 }],
    [2, {}, { silent: true }],
    [2, {}, { silent: true, priority: 2 }],
    [1, { priority: -2 }, { silent: true }],
    [2, { priority: 1 }, { silent: true }],
  ])("priority %p of %j and %j", async (expected, more, options) => {
    expect((await shownOf(more, messageOf("x", options))).priority).toBe(expected as number);
  });

  test("who may confirm gets a button that does, and a tap opens the link's page", async () => {
    const acknowledgeUrl = "https://hub.example/n/1?s=abc";
    const { click, actions } = await shownOf({}, messageOf("x", { acknowledgeUrl }));
    expect(click).toBe(acknowledgeUrl);
    expect(actions).toEqual([{ action: "http", label: "Confirm", url: acknowledgeUrl, method: "POST", clear: true }]);
  });

  test("values never become Markdown, and the author's Markdown stays", async () => {
    using place = serveNtfy();
    const pieces = [{ markup: "**" }, { value: "a*b_c [x](y)" }, { markup: "**" }];
    expect(topic(place, { markdown: true }).compose(pieces)).toBe("**a\\*b\\_c \\[x\\](y)**");
    expect(topic(place).compose(pieces)).toBe("**a*b_c [x](y)**");
    expect((await shownOf({ markdown: true })).markdown).toBe(true);
  });

  test("long, blank and broken texts arrive within the limits", async () => {
    const repeats = "(12 times since 14:02)";
    const long = await shownOf({}, messageOf("é".repeat(1_000_000), { repeats, late: true, title: "T".repeat(999) }));
    expect(Buffer.byteLength(long.message)).toBeLessThanOrEqual(4096);
    expect(Buffer.byteLength(long.message)).toBeGreaterThan(4090);
    expect(long.message).toMatch(/^é+… \(12 times since 14:02\)\n\n\(delivered late; this is from 2026-11-21 14:02\)$/);
    expect(long.title).toHaveLength(250);
    expect((await shownOf({}, messageOf(" \n", { title: "Bell" }))).message).toBe("Bell");
    expect(await shownOf({}, messageOf("a\ud800b", { title: "\udc00" }))).toMatchObject({
      message: "a\ufffdb",
      title: "\ufffd",
    });
  });

  const picture = { name: "hall – 14:02.jpg", type: "image/jpeg", bytes: new Uint8Array([255, 216, 0, 10, 13]) };

  test("a picture goes with its texts in one message", async () => {
    const text = "Grüße 👋\nzweite Zeile ".repeat(20).trim();
    const options = { picture, priority: 2, acknowledgeUrl: "https://hub.example/n/1" };
    const shown = await shownOf({ tags: ["house", "bell"], markdown: true }, messageOf(text, options));
    expect(shown).toEqual({
      ...{ id: "msg1", topic: "house-x7", title: "Hub Alert", message: text, priority: 5, tags: ["house", "bell"] },
      ...{ markdown: true, sequence_id: "0f0e", attachment: { name: picture.name, bytes: picture.bytes } },
      click: "https://hub.example/n/1",
      actions: [{ action: "http", label: "Confirm", url: "https://hub.example/n/1", method: "POST", clear: true }],
    });
  });

  test("a server that takes no pictures gets the message without", async () => {
    using place = serveNtfy({ attachments: false });
    const rig = createRig();
    const delivery = await topic(place, {}, rig).send(messageOf("x", { picture }), never());
    expect(delivery.note).toBe("sent without its picture, which was refused: invalid request: attachments not allowed");
    expect(place.shown.get("0f0e")).toMatchObject({ message: "x" });
    expect(rig.output.text).toContain("the picture was refused");
  });

  test("a login is sent as token or as user and password, and neither comes back", async () => {
    using place = serveHttp(({ headers }) => ({
      status: 403,
      json: { code: 40301, http: 403, error: `forbidden: ${headers.get("authorization")}, pass-Word_1234` },
    }));
    const login = { token: undefined, username: "ann", password: "pass-Word_1234" } as unknown as JsonObject;
    const failure = await failureOf(topic(place, login).send(messageOf("x"), never()));
    expect(place.seen[0]?.headers.get("authorization")).toBe(`Basic ${btoa("ann:pass-Word_1234")}`);
    expect(failure.fault).toMatchObject({ transient: false, hint: expect.stringContaining("token") });
    expect(failure.message).not.toContain("pass-Word");
    expect(failure.message).not.toContain(btoa("ann:pass-Word_1234"));
  });

  test.each<[number, JsonObject, Record<string, string>, object]>([
    [429, { code: 42901, error: "too many requests" }, { "retry-after": "7" }, { transient: true, retryAfterMs: 7000 }],
    [429, { code: 42908, error: "too many" }, {}, { transient: true, hint: expect.stringContaining("day") }],
    [429, {}, { "retry-after": "Sat, 21 Nov 2026 13:03:00 GMT" }, { transient: true, retryAfterMs: 60_000 }],
    [503, {}, { "retry-after": "5" }, { transient: true, retryAfterMs: 5000, mayBeTheMessage: true }],
    [500, { error: "no" }, {}, { transient: true, answer: "no" }],
    [404, {}, {}, { transient: false, hint: expect.stringContaining("server") }],
    [200, { ok: true }, {}, { transient: false, hint: expect.stringContaining("server") }],
    [307, {}, { location: "http://127.0.0.1:1/" }, { transient: true, hint: expect.stringContaining("server") }],
  ])("%d %j %j", async (status, json, headers, fault) => {
    using place = serveHttp(() => ({ status, json, headers }));
    const rig = createRig(createVirtualClock(AT));
    expect((await failureOf(topic(place, {}, rig).send(messageOf("x"), never()))).fault).toMatchObject(fault);
    expect(place.seen).toHaveLength(1);
  });

  test.each<[string, JsonObject, string]>([
    ["both logins", { username: "ann", password: "secret-word" }, "exclude each other"],
    ["a user alone", { username: "ann" }, "belong together"],
    ["a path as topic", { topic: "a/b" }, "must have 1 to 64 letters"],
  ])("%s", (_, more, message) => {
    expect(() => configOf({ name: "push", type: "ntfy", topic: "x", token: TOKEN, ...more })).toThrow(message);
  });
});
