import { describe, expect, test } from "bun:test";
import { createHmac } from "node:crypto";
import type { JsonObject } from "../../../../src/kit/schema/json.ts";
import type { Channel, ChannelMessage } from "../../../../src/reach/notify/channel.ts";
import { createVirtualClock } from "../../../support/virtual-clock.ts";
import {
  AT,
  configOf,
  createRig,
  failureOf,
  messageOf,
  never,
  openFrom,
  type Rig,
  type SeenRequest,
  serveHttp,
  serveRaw,
} from "../rig.ts";

const ok = () => ({ json: { ok: true } });
const picture = { name: 'hall "1".jpg', type: "image/jpeg", bytes: new Uint8Array([255, 216, 0, 13, 10, 45, 45]) };

function hook(place: { url: string }, more: JsonObject = {}, rig?: Rig): Channel {
  const { query = "", ...entry } = more;
  const url = `${place.url}/hook${query}`;
  return openFrom({ name: "hook", type: "webhook", url, allow_local: true, ...entry }, rig);
}

async function seenOf(more: JsonObject, message: ChannelMessage = messageOf("The door is open")): Promise<SeenRequest> {
  using place = serveHttp(ok);
  await hook(place, more).send(message, never());
  const [seen] = place.seen;
  if (!seen) throw new Error("nothing was sent");
  return seen;
}

describe("webhook", () => {
  test("sends JSON with all there is", async () => {
    using place = serveHttp(ok);
    const message = messageOf("The door is open", {
      ...{ priority: 2, tag: "door", repeats: "(2 times since 14:02)", picture },
      ...{ acknowledgeUrl: "https://hub.example/n/1", actions: [{ id: "lights", label: "Lights on" }] },
    });
    const delivery = await hook(place, { image: "base64" }).send(message, never());
    expect(delivery).toEqual({ status: 200, answer: '{"ok":true}', parts: 1 });
    expect(place.seen[0]).toMatchObject({ method: "POST", path: "/hook", contentType: "application/json" });
    expect(place.seen[0]?.headers.get("webhook-id")).toBe("0f0e");
    expect(place.seen[0]?.json).toEqual({
      ...{ id: "0f0e", title: "Hub Alert", message: "The door is open (2 times since 14:02)" },
      ...{ priority: 2, silent: false, tag: "door", at: "2026-11-21T13:02:00.000Z", late: false },
      actions: [
        { id: "acknowledge", url: "https://hub.example/n/1" },
        { id: "lights", label: "Lights on" },
      ],
      image: { name: picture.name, type: "image/jpeg", base64: Buffer.from(picture.bytes).toString("base64") },
    });
    expect((await seenOf({}, messageOf("x", { picture }))).json).not.toHaveProperty("image");
  });

  test("a late message says from when it is", async () => {
    const { json } = await seenOf({}, messageOf("x", { late: true }));
    expect(json).toMatchObject({ late: true, message: expect.stringContaining("from 2026-11-21 14:02") });
  });

  const NASTY = "a\"b\\c\nd&e=f <g>' ü \ud800 {{tag}}";
  const SHOWN = NASTY.toWellFormed();

  test.each<[string, string, (seen: SeenRequest) => unknown]>([
    ["application/json", '{"text": "{{message}}", "level": {{priority}}}', ({ json }) => json.text],
    ["application/x-www-form-urlencoded", "body={{message}}&tag={{tag}}", ({ form }) => form.get("body")],
    ["text/plain", "{{message}}", ({ body }) => body],
  ])("a body of %s: whatever a text holds, it stays a text", async (content_type, body, read) => {
    const seen = await seenOf({ content_type, body }, messageOf(NASTY, { tag: "x", priority: 1 }));
    expect(read(seen)).toBe(SHOWN);
    expect(seen.contentType).toStartWith(content_type);
  });

  test("in XML, too", async () => {
    const body = '<m t="{{title}}">{{message}}</m>';
    const seen = await seenOf({ content_type: "application/xml", body }, messageOf("a<b>&c\u0007", { title: "\"'" }));
    expect(seen.body).toBe('<m t="&quot;&apos;">a&lt;b&gt;&amp;c</m>');
  });

  test("a text in the address stays in its query", async () => {
    const query = "?chat=1&text={{message}}";
    const seen = await seenOf({ method: "GET", query }, messageOf("../x?y=1&chat=2#z @evil.example/"));
    expect(seen).toMatchObject({ method: "GET", path: "/hook", body: "" });
    expect([...seen.query]).toEqual([
      ["chat", "1"],
      ["text", "../x?y=1&chat=2#z @evil.example/"],
    ]);
  });

  test("a picture goes as a file beside the body; a form's fields stay fields", async () => {
    const json = await seenOf({ image: "multipart", body: '{"content": "{{message}}"}' }, messageOf("x", { picture }));
    const read = (seen: SeenRequest) =>
      new Response(new Uint8Array(seen.bytes), { headers: { "content-type": seen.contentType } }).formData();
    const parts = await read(json);
    expect(await new Response(parts.get("payload_json")).json()).toEqual({ content: "x" });
    const file = parts.get("file") as unknown as File;
    expect([file.name, file.type]).toEqual(["hall _1_.jpg", "image/jpeg"]);
    expect(new Uint8Array(await file.arrayBuffer())).toEqual(picture.bytes);

    const content_type = "application/x-www-form-urlencoded";
    const apprise = { image: "multipart", content_type, body: "title={{title}}&body={{message}}" };
    const fields = await read(await seenOf(apprise, messageOf("a&b=c", { picture })));
    expect([fields.get("title"), fields.get("body")]).toEqual(["Hub Alert", "a&b=c"]);
    expect((await seenOf(apprise, messageOf("x"))).contentType).toStartWith(content_type);
  });

  test("is signed over what is sent, and the moment", async () => {
    using place = serveHttp(ok);
    const secret = `whsec_${Buffer.from("0123456789abcdef").toString("base64")}`;
    await hook(place, { signing_secret: secret }, createRig(createVirtualClock(AT))).send(messageOf("ü"), never());
    const { headers, bytes } = place.seen[0] as SeenRequest;
    expect(headers.get("webhook-timestamp")).toBe(String(AT / 1000));
    const signed = Buffer.concat([Buffer.from(`0f0e.${AT / 1000}.`), bytes]);
    const own = createHmac("sha256", "0123456789abcdef").update(signed).digest("base64");
    expect(headers.get("webhook-signature")).toBe(`v1,${own}`);
    expect(headers.get("x-hub-signature-256")).toBe(
      `sha256=${createHmac("sha256", secret).update(bytes).digest("hex")}`,
    );
    expect((await seenOf({})).headers.has("webhook-signature")).toBe(false);
  });

  test.each<[string, number, object | undefined]>([
    ["200-299", 204, undefined],
    ["200,202", 202, undefined],
    ["200-299, 409", 409, undefined],
    ["200", 204, { transient: false, hint: expect.stringContaining("success") }],
    ["200-299", 400, { transient: false, hint: expect.stringContaining("body") }],
    ["200-299", 401, { transient: false, hint: expect.stringContaining("key") }],
    ["200-299", 404, { transient: false, hint: expect.stringContaining("url") }],
    ["200-299", 408, { transient: true }],
    ["200-299", 429, { transient: true, retryAfterMs: 9000 }],
    ["200-299", 502, { transient: true, mayBeTheMessage: true }],
  ])("with success = %s, status %d", async (success, status, fault) => {
    using place = serveHttp(() => new Response(null, { status, headers: { "retry-after": "9" } }));
    const sending = hook(place, { success }).send(messageOf("x"), never());
    if (fault) expect((await failureOf(sending)).fault).toMatchObject({ ...fault, status });
    else expect(await sending).toMatchObject({ status });
  });

  test("half an answer is no delivery", async () => {
    using place = await serveRaw(
      (socket) => void socket.once("data", () => void socket.end("HTTP/1.1 200 OK\r\ncontent-length: 90\r\n\r\n{")),
    );
    expect((await failureOf(hook(place).send(messageOf("x"), never()))).fault.transient).toBe(true);
  });

  test("a redirect to the hub itself is not followed", async () => {
    using hub = serveHttp(ok);
    using place = serveHttp(() => Response.redirect(`${hub.url}/api/v1/devices`, 307));
    const failure = await failureOf(hook(place).send(messageOf("x"), never()));
    expect(failure.message).toContain("redirect");
    expect(hub.seen).toEqual([]);
  });

  test("this machine is reached only where the configuration says so", async () => {
    using place = serveHttp(ok);
    const { port } = new URL(place.url);
    const entry = { name: "hook", type: "webhook", url: `${place.url}/` };
    for (const host of ["127.0.0.1", "localhost", "[::1]", "127.1", "2130706433"]) {
      const url = `http://${host}:${port}/`;
      expect(() => configOf({ ...entry, url })).toThrow("allow_local = true");
      expect(() => configOf({ ...entry, url, allow_local: true })).not.toThrow();
    }
    for (const host of ["0.0.0.0", "[::]", "[::ffff:127.0.0.1]", "169.254.169.254"]) {
      const failure = await failureOf(
        openFrom({ ...entry, url: `http://${host}:${port}/` }).send(messageOf("x"), never()),
      );
      expect(failure.fault).toMatchObject({ transient: false, hint: expect.stringContaining("allow_local") });
    }
    expect(place.seen).toEqual([]);
  });

  test.each<[string, JsonObject, string]>([
    ["a placeholder in the host", { url: "https://{{tag}}.example/" }, "placeholders only behind a ?"],
    ["a placeholder in the path", { url: "https://a.example/{{tag}}" }, "placeholders only behind a ?"],
    ["a user in the address", { url: "https://ann:x@a.example/" }, "without user"],
    ["an unknown placeholder", { body: '{"a": "{{massage}}"}' }, 'did you mean "message"'],
    ["an unknown one in the address", { url: "https://a.example/?t={{x}}" }, "unknown placeholder {{x}}"],
    ["a text without quotes", { body: '{"a": {{message}}}' }, "is no JSON"],
    ["a header of the connection", { headers: [{ name: "Host", value: "x" }] }, "is set by the hub"],
    ["a header with a line break", { headers: [{ name: "X", value: "a\r\nb: c" }] }, "must be one line"],
    ["a body with GET", { method: "GET", body: "{}" }, "GET has no body"],
    ["another type without a body", { content_type: "text/plain" }, "give a body, too"],
    ["no status", { success: "ok" }, "must be statuses"],
  ])("%s is a problem", (_, more, message) => {
    expect(() => configOf({ name: "hook", type: "webhook", url: "https://a.example/", ...more })).toThrow(
      JSON.stringify(message).slice(1, -1),
    );
  });
});
