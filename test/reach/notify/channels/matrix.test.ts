import { describe, expect, test } from "bun:test";
import type { JsonObject } from "../../../../src/kit/schema/json.ts";
import type { Channel, ChannelMessage } from "../../../../src/reach/notify/channel.ts";
import { createVirtualClock } from "../../../support/virtual-clock.ts";
import { AT, createRig, failureOf, messageOf, never, openFrom, type Rig, serveHttp } from "../rig.ts";
import { ROOM, serveMatrix, TOKEN } from "../strict-matrix.ts";

const picture = { name: "hall – 14:02.jpg", type: "image/jpeg", bytes: new Uint8Array([255, 216, 0, 10, 13]) };

function room(place: { url: string }, more: JsonObject = {}, rig?: Rig): Channel {
  const entry = { name: "room", type: "matrix", homeserver: `${place.url}/`, room: ROOM, access_token: TOKEN };
  return openFrom({ ...entry, ...more }, rig);
}

async function shownOf(message: ChannelMessage, more: JsonObject = {}): Promise<JsonObject> {
  using place = serveMatrix();
  await room(place, more).send(message, never());
  const [content] = place.shown.values();
  if (!content) throw new Error("nothing is shown");
  return content;
}

describe("matrix", () => {
  test("sends a text with its title, once for each message", async () => {
    using place = serveMatrix();
    const channel = room(place);
    const delivery = await channel.send(messageOf("a<b\nsecond"), never());
    expect(delivery).toEqual({ status: 200, answer: "event $event1", parts: 1, remote: "$event1" });
    expect(await channel.send(messageOf("a<b\nsecond"), never())).toEqual(delivery);
    expect([...place.shown.values()]).toEqual([
      {
        ...{ msgtype: "m.text", body: "Hub Alert\na<b\nsecond", format: "org.matrix.custom.html", "m.mentions": {} },
        formatted_body: "<strong>Hub Alert</strong><br>a&lt;b<br>second",
      },
    ]);
  });

  test("is changed, again and again, and taken back", async () => {
    using place = serveMatrix();
    const channel = room(place);
    const { remote = "" } = await channel.send(messageOf("open"), never());
    for (const [index, text] of ["closed", "open", "closed"].entries()) {
      const message = messageOf(text, { id: `m${index}` });
      for (const _ of [1, 2]) expect(await channel.change?.(remote, message, never())).toMatchObject({ remote });
    }
    expect([...place.shown.values()]).toMatchObject([{ body: "Hub Alert\nclosed" }]);
    await channel.remove?.(remote, never());
    await channel.remove?.(remote, never());
    expect(place.shown.size).toBe(0);
  });

  test.each<[string, boolean, Partial<ChannelMessage>]>([
    ["m.notice", false, { priority: -2 }],
    ["m.notice", false, { priority: -1 }],
    ["m.text", false, { priority: 0 }],
    ["m.text", false, { priority: 1 }],
    ["m.text", true, { priority: 2 }],
    ["m.notice", false, { silent: true }],
    ["m.text", false, { silent: false, priority: -1 }],
  ])("%s, everybody mentioned: %p, for %j", async (msgtype, mentions, options) => {
    const content = await shownOf(messageOf("x", options));
    expect(content).toMatchObject({ msgtype, "m.mentions": mentions ? { room: true } : {} });
  });

  test("HTML of the author stays, values and unknown tags are text, and the plain body has no tags", async () => {
    const pieces = [{ markup: "<b>" }, { value: "1<2 & 3" }, { markup: "</b> & <script>x</script>\n&lt;ok&gt;" }];
    using place = serveMatrix();
    const text = room(place, { html: true }).compose(pieces);
    const late = { late: true, repeats: "(2 times since 14:02)" };
    expect(await shownOf(messageOf(text, late), { html: true })).toMatchObject({
      body: "Hub Alert\n1<2 & 3 & x\n<ok> (2 times since 14:02)\n\n(delivered late; this is from 2026-11-21 14:02)",
      formatted_body:
        "<strong>Hub Alert</strong><br><b>1&lt;2 &amp; 3</b> &amp; &lt;script&gt;x&lt;/script&gt;<br>&lt;ok&gt;" +
        " (2 times since 14:02)<br><br>(delivered late; this is from 2026-11-21 14:02)",
    });
  });

  test.each<[string, string]>([
    ["letters", "é"],
    ["emoji", "👨‍👩‍👧"],
    ["what HTML must escape", '"'],
    ["line breaks", "x\n"],
    ["halves of characters", "\ud800"],
    ["tags", "<b>"],
  ])("a megabyte of %s fits into an event", async (_, piece) => {
    const message = messageOf(piece.repeat(1_000_000 / piece.length), { title: piece.repeat(999) });
    for (const html of [false, true]) expect(await shownOf(message, { html })).toHaveProperty("body");
  });

  test("who may confirm gets a link", async () => {
    const content = await shownOf(messageOf("x", { acknowledgeUrl: 'https://hub.example/n?a=1&b="' }));
    expect(content.body).toEndWith('\n\nConfirm: https://hub.example/n?a=1&b="');
    expect(content.formatted_body).toEndWith('<a href="https://hub.example/n?a=1&amp;b=&quot;">Confirm</a>');
  });

  test("a picture follows its text; one that is refused does not stop the alarm", async () => {
    using place = serveMatrix();
    const delivery = await room(place).send(messageOf("x", { picture }), never());
    expect(delivery).toMatchObject({ parts: 2, remote: "$event1" });
    const [uri, uploaded] = [...place.media][0] ?? [];
    expect(uploaded).toEqual({ type: "image/jpeg", filename: picture.name, bytes: picture.bytes });
    expect([...place.shown.values()][1]).toMatchObject({ msgtype: "m.image", body: picture.name, url: uri ?? "" });

    using small = serveMatrix({ maxMedia: 2 });
    const noted = await room(small).send(messageOf("x", { picture }), never());
    expect(noted).toMatchObject({ parts: 1, note: expect.stringContaining("M_TOO_LARGE") });
    expect(small.shown.size).toBe(1);
  });

  test("a picture that failed for now is tried again without its text", async () => {
    let fails = true;
    using place = serveHttp(({ path }) => {
      if (path.includes("/upload")) return { status: fails ? 502 : 200, json: { content_uri: "mxc://a/b" } };
      return { json: { event_id: "$1" } };
    });
    const channel = room(place);
    const failure = await failureOf(channel.send(messageOf("x", { picture }), never()));
    expect(failure.fault).toMatchObject({ transient: true, partsArrived: 1 });
    fails = false;
    const delivery = await channel.send(messageOf("x", { picture, skipParts: 1 }), never());
    expect(delivery).toMatchObject({ remote: "$1" });
    expect(place.seen.map(({ path }) => path.split("/").at(-1))).toEqual(["0f0e", "upload", "upload", "0f0e.image"]);
  });

  test.each<[number, JsonObject, Record<string, string>, object]>([
    [429, { errcode: "M_LIMIT_EXCEEDED", error: "no", retry_after_ms: 2500 }, {}, { retryAfterMs: 2500 }],
    [429, { errcode: "M_LIMIT_EXCEEDED", error: "no" }, { "retry-after": "9" }, { retryAfterMs: 9000 }],
    [403, { errcode: "M_FORBIDDEN", error: "no" }, {}, { transient: false, hint: expect.stringContaining("invite") }],
    [401, { errcode: "M_UNKNOWN_TOKEN" }, {}, { transient: false, hint: expect.stringContaining("access_token") }],
    [404, {}, {}, { transient: false, hint: expect.stringContaining("homeserver") }],
    [200, {}, {}, { transient: false, hint: expect.stringContaining("homeserver") }],
    [502, {}, {}, { transient: true, mayBeTheMessage: true }],
    [301, {}, { location: "http://127.0.0.1:1/" }, { transient: true, hint: expect.stringContaining("homeserver") }],
  ])("%d %j %j", async (status, json, headers, fault) => {
    using place = serveHttp(() => ({ status, json, headers }));
    const failure = await failureOf(room(place, {}, createRig(createVirtualClock(AT))).send(messageOf("x"), never()));
    expect(failure.fault).toMatchObject({ ...fault, status });
  });
});
