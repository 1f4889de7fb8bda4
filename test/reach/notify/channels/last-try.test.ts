// What services refuse about a text or a picture: the alarm arrives nevertheless, short, plain or without its picture.
import { describe, expect, test } from "bun:test";
import type { JsonObject } from "../../../../src/kit/schema/json.ts";
import { refusal, serveMail } from "../mail-server.ts";
import { failureOf, messageOf, never, openFrom, serveHttp } from "../rig.ts";
import { ROOM, TOKEN } from "../strict-matrix.ts";

const LONG = `${"The freezer is warm. ".repeat(200)}`;
const picture = { name: "hall.jpg", type: "image/jpeg", bytes: new Uint8Array(2000) };

describe("webhook", () => {
  const hook = (place: { url: string }, more: JsonObject = {}) =>
    openFrom({ name: "discord", type: "webhook", url: `${place.url}/x`, allow_local: true, ...more });
  const discord = () =>
    serveHttp(({ json, contentType }) => {
      if (contentType.startsWith("multipart/")) return { status: 413, json: { message: "Request entity too large" } };
      if (String(json.content).length > 2000)
        return { status: 400, json: { content: ["Must be 2000 or fewer in length."] } };
      return { status: 204, json: {} };
    });
  const body = '{"content": "**{{title}}**\\n{{message}}"}';

  test("a text that is too long for the receiver is sent short, and the author learns of it", async () => {
    using place = discord();
    const delivery = await hook(place, { body }).send(messageOf(LONG), never());
    expect(place.seen).toHaveLength(2);
    expect(String(place.seen[1]?.json.content)).toMatch(/^\*\*Hub Alert\*\*\nThe freezer is warm.*…$/);
    expect(delivery.note).toStartWith("sent as plain text, as the text was refused: ");
    expect(delivery.refusedText).toContain("2000 or fewer");
  });

  test("a picture that is too large is left out", async () => {
    using place = discord();
    const delivery = await hook(place, { body, image: "multipart" }).send(messageOf("fire", { picture }), never());
    expect(place.seen[1]?.json).toEqual({ content: "**Hub Alert**\nfire" });
    expect(delivery.note).toContain("sent without its picture, which was refused: ");
  });

  test.each([
    [400, 1],
    [403, 1],
    [404, 1],
  ])("the same text is not sent twice (%d)", async (status, requests) => {
    using place = serveHttp(() => ({ status, json: { error: "no" } }));
    const failure = await failureOf(hook(place, { body }).send(messageOf("fire"), never()));
    expect(failure.fault).toMatchObject({ transient: false, status });
    expect(place.seen).toHaveLength(requests);
  });

  test("a wrong key is no refusal of a long text", async () => {
    using place = serveHttp(() => ({ status: 403, json: { error: "no" } }));
    await failureOf(hook(place, { body }).send(messageOf(LONG), never()));
    expect(place.seen).toHaveLength(1);
  });
});

test("ntfy: a server that allows less than others gets a short text", async () => {
  using place = serveHttp(({ json }) =>
    String(json.message).length >= 2048
      ? { status: 400, json: { code: 40014, http: 400, error: "invalid request: attachments not allowed" } }
      : { json: { id: "m1", sequence_id: json.sequence_id } },
  );
  const channel = openFrom({ name: "push", type: "ntfy", server: place.url, topic: "house-x7", markdown: true });
  const delivery = await channel.send(messageOf(`**Warm** ${LONG}`), never());
  expect(delivery).toMatchObject({ remote: "0f0e", refusedText: expect.stringContaining("attachments not allowed") });
  expect(place.seen[1]?.json).toMatchObject({ message: expect.stringMatching(/^Warm The freezer/) });
  expect(place.seen[1]?.json).not.toHaveProperty("markdown");
});

test("Matrix: an event that is refused is sent as plain text, as a transaction of its own, and changed as such", async () => {
  using place = serveHttp(({ json }) =>
    JSON.stringify(json).length > 4000 || JSON.stringify(json).includes("<b>")
      ? { status: 413, json: { errcode: "M_TOO_LARGE", error: "event too large" } }
      : { json: { event_id: "$1" } },
  );
  const entry = { name: "room", type: "matrix", homeserver: place.url, room: ROOM, access_token: TOKEN, html: true };
  const channel = openFrom(entry);
  const delivery = await channel.send(messageOf(`<b>Warm</b> ${LONG}`), never());
  expect(delivery).toMatchObject({ remote: "$1", refusedText: expect.stringContaining("M_TOO_LARGE") });
  expect(place.seen[0]?.path).not.toBe(place.seen[1]?.path as string);
  expect(String(place.seen[1]?.json.body)).toStartWith("Hub Alert\nWarm The freezer");
  await channel.change?.("$1", messageOf("<b>Cold again</b>"), never());
  expect(place.seen.at(-1)?.json["m.new_content"]).toMatchObject({ body: "Hub Alert\nCold again" });
});

test.each([
  ["bytes", Buffer.byteLength],
  ["UTF-16 units", (text: string) => text.length],
])("Pushover: a title that the server finds too long, as it counts %s, does not lose the message", async (_, count) => {
  using place = serveHttp(({ form }) =>
    count(form.get("title") ?? "") > 250
      ? { status: 400, json: { title: "is too long", errors: ["title is too long"], status: 0, request: "x" } }
      : { json: { status: 1, request: "x" } },
  );
  const channel = openFrom({ name: "phone", type: "push_app", api_key: "key", user_key: "user", api_url: place.url });
  const delivery = await channel.send(messageOf("fire", { title: "😀".repeat(240) }), never());
  expect(delivery.refusedText).toBe("title is too long");
  expect(place.seen[1]?.form.get("message")).toBe("fire");
});

describe("mail", () => {
  const send = async (refuse: (raw: string) => string | undefined, more = {}) => {
    const mails: string[] = [];
    await using server = await serveMail({
      disabledCommands: ["STARTTLS", "AUTH"],
      authOptional: true,
      onData(stream, _session, done) {
        let raw = "";
        stream.on("data", (chunk: Buffer) => {
          raw += chunk.toString("latin1");
        });
        stream.on("end", () => {
          mails.push(raw);
          const words = refuse(raw);
          done(words === undefined ? null : refusal(552, words), "2.0.0 queued");
        });
      },
    });
    const smtp = { host: "localhost", port: server.port, username: "", password: "" };
    const channel = openFrom({ name: "mail", type: "email", from: "hub@a.example", to: ["b@a.example"], smtp });
    const delivery = await channel.send(messageOf("fire", more), never());
    return { delivery, mails };
  };

  test("one that is too large with its picture comes without it", async () => {
    const { delivery, mails } = await send((raw) => (raw.includes("image/jpeg") ? "5.3.4 too large" : undefined), {
      picture,
      html: "<b>fire</b>",
    });
    expect(mails).toHaveLength(2);
    expect(mails[1]).toContain("<b>fire</b>");
    expect(delivery.note).toBe("sent without its picture, which was refused: 552 5.3.4 too large");
    expect(mails.map((raw) => /^Message-ID: (.*)$/im.exec(raw)?.[1])).toEqual(["<0f0e@a.example>", "<0f0e@a.example>"]);
  });

  test("one whose content is refused comes as plain text", async () => {
    const { delivery, mails } = await send((raw) => (raw.includes("text/html") ? "5.7.1 no HTML here" : undefined));
    expect(mails).toHaveLength(2);
    expect(mails[1]).toContain("fire");
    expect(delivery.refusedText).toBe("552 5.7.1 no HTML here");
  });
});
