// Messages with a picture, in the channels that send it to a service of the web.
import { describe, expect, test } from "bun:test";
import type { JsonObject } from "../../../../src/kit/schema/json.ts";
import type { Picture } from "../../../../src/reach/notify/channel.ts";
import { createVirtualClock } from "../../../support/virtual-clock.ts";
import { until } from "../../../support/wait.ts";
import { PICTURES, serveForms } from "../pictures/rig.ts";
import { createRig, failureOf, messageOf, never, openFrom } from "../rig.ts";

const photo: Picture = { name: "porch.jpg", type: "image/jpeg", bytes: PICTURES.jpg };
const arrived = { field: "photo", name: "porch.jpg", type: "image/jpeg", bytes: PICTURES.jpg };
const shown = (text: string, more = {}) => messageOf(text, { image: "device:porch", picture: photo, ...more });
const ok = () => Response.json({ ok: true, result: { message_id: 42 } });
const refused = (status: number, description: string) =>
  Response.json({ ok: false, error_code: status, description }, { status });

describe("messaging_bot", () => {
  const open = (place: { url: string }, more: JsonObject = {}, rig = createRig()) =>
    openFrom(
      { name: "chat", type: "messaging_bot", bot_token: "12345:token", chat_id: "7", api_url: place.url, ...more },
      rig,
    );

  test("sends a photo with the text as its caption", async () => {
    using place = serveForms(ok);
    const delivery = await open(place, { parse_mode: "HTML" }).send(
      shown("<i>Somebody</i>", { silent: true }),
      never(),
    );
    expect(delivery).toEqual({ status: 200, answer: "ok, message 42", parts: 1 });
    expect(place.seen).toEqual([
      {
        path: "/bot12345:token/sendPhoto",
        fields: {
          ...{ chat_id: "7", caption: "<b>Hub Alert</b>\n<i>Somebody</i>", parse_mode: "HTML" },
          disable_notification: "true",
        },
        file: arrived,
      },
    ]);
  });

  test("sends moving pictures as such", async () => {
    using place = serveForms(ok);
    await open(place).send(shown("x", { picture: { name: "a.gif", type: "image/gif", bytes: PICTURES.gif } }), never());
    expect(place.seen).toMatchObject([{ path: "/bot12345:token/sendAnimation", file: { field: "animation" } }]);
  });

  test("a text of 1024 characters after parsing is a caption, a longer one follows in its own message", async () => {
    const title = { title: "T" };
    for (const [length, captions] of [
      [1022, [`<b>T</b>\n${"<i>x</i>".repeat(1022)}`]],
      [1023, ["<b>T</b>", undefined]],
    ] as const) {
      using place = serveForms(ok);
      const clock = createVirtualClock();
      const sent = open(place, { parse_mode: "HTML" }, createRig(clock)).send(
        shown("<i>x</i>".repeat(length), title),
        never(),
      );
      await until("it is sent", async () => {
        await clock.advance(1000);
        return place.seen.length === captions.length;
      });
      expect((await sent).parts).toBe(captions.length);
      expect(place.seen.map(({ fields }) => fields.caption)).toEqual([...captions]);
      expect(place.seen[0]?.file).toEqual(arrived);
    }
  });

  test("after the photo arrived, a later try sends only the text, also without the picture", async () => {
    const text = "lorem ipsum ".repeat(100);
    for (const picture of [photo, undefined]) {
      using place = serveForms(ok);
      await open(place).send(messageOf(text, { image: "x", skipParts: 1, ...(picture && { picture }) }), never());
      expect(place.seen.map(({ path }) => path)).toEqual(["/bot12345:token/sendMessage"]);
    }
    using place = serveForms(ok);
    await open(place).send(messageOf(text, { image: "x" }), never());
    expect(place.seen).toHaveLength(1);
  });

  test.each([
    [400, "Bad Request: IMAGE_PROCESS_FAILED"],
    [400, "Bad Request: PHOTO_INVALID_DIMENSIONS"],
    [413, "Request Entity Too Large"],
    [500, "Internal Server Error"],
  ])("a photo that is refused (%d %s) leaves its text", async (status, words) => {
    using place = serveForms(({ file }) => (file ? refused(status, words) : ok()));
    const delivery = await open(place).send(shown("fire"), never());
    expect(delivery.note).toBe(`sent without its picture, which was refused: ${words}`);
    expect(place.seen.map(({ path }) => path)).toEqual(["/bot12345:token/sendPhoto", "/bot12345:token/sendMessage"]);
    expect(place.seen[1]?.fields.text).toBe("Hub Alert\nfire");
  });

  test("a caption whose markup is refused is sent plain, with its photo", async () => {
    using place = serveForms(({ fields }) =>
      fields.parse_mode ? refused(400, "Bad Request: can't parse entities: unclosed tag") : ok(),
    );
    const delivery = await open(place, { parse_mode: "HTML" }).send(shown("<b>fire"), never());
    expect(delivery.note).toContain("sent as plain text");
    expect(place.seen[1]).toMatchObject({ path: "/bot12345:token/sendPhoto", file: arrived });
  });

  test("too many messages is no refusal of the picture", async () => {
    using place = serveForms(() => refused(429, "Too Many Requests: retry after 7"));
    const failure = await failureOf(open(place).send(shown("fire"), never()));
    expect(failure.fault).toMatchObject({ transient: true, status: 429 });
    expect(place.seen).toHaveLength(1);
  });
});

describe("push_app", () => {
  const open = (place: { url: string }, more: JsonObject = {}) =>
    openFrom({ name: "phone", type: "push_app", api_key: "keykey", user_key: "useruser", api_url: place.url, ...more });
  const accepted = () => Response.json({ status: 1, request: "r" });

  test("attaches the picture", async () => {
    using place = serveForms(accepted);
    await open(place, { priority: 2 }).send(shown("fire & <smoke>"), never());
    expect(place.seen[0]).toMatchObject({
      fields: { token: "keykey", user: "useruser", message: "fire & <smoke>", priority: "2", retry: "60" },
      file: { ...arrived, field: "attachment" },
    });
  });

  test.each([
    [400, { status: 0, attachment: "invalid", errors: ["attachment is not a valid image"] }],
    [413, { status: 0 }],
  ])("one that is refused (%d) leaves its text", async (status, body) => {
    using place = serveForms(({ file }) => (file ? Response.json(body, { status }) : accepted()));
    expect((await open(place).send(shown("fire"), never())).note).toContain("sent without its picture");
    expect(place.seen[1]).toMatchObject({ fields: { message: "fire" }, file: undefined });
  });

  test("a wrong key is no refusal of the picture", async () => {
    using place = serveForms(() => Response.json({ status: 0, errors: ["user key is invalid"] }, { status: 400 }));
    expect((await failureOf(open(place).send(shown("fire"), never()))).fault.transient).toBe(false);
    expect(place.seen).toHaveLength(1);
  });
});
