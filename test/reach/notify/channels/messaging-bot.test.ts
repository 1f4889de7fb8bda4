import { describe, expect, test } from "bun:test";
import type { JsonObject } from "../../../../src/kit/schema/json.ts";
import type { Channel } from "../../../../src/reach/notify/channel.ts";
import { createVirtualClock, type VirtualClock } from "../../../support/virtual-clock.ts";
import { until } from "../../../support/wait.ts";
import {
  createRig,
  failureOf,
  type HttpPlace,
  messageOf,
  never,
  openFrom,
  type Rig,
  serveHttp,
  serveRaw,
} from "../rig.ts";
import { parsers } from "../telegram-parsers.ts";

const TOKEN = "123456:AAF-secret_Token-of-the-bot-xyz";
const ok = (id: number) => ({ json: { ok: true, result: { message_id: id, chat: { id: 7 } } } });
const refusal = (code: number, description: string, parameters?: JsonObject) => ({
  status: code,
  json: { ok: false, error_code: code, description, ...(parameters ? { parameters } : {}) },
});

function bot(place: { url: string }, more: JsonObject = {}, rig?: Rig): Channel {
  const entry = {
    name: "chat",
    type: "messaging_bot",
    bot_token: TOKEN,
    chat_id: "-1001",
    api_url: place.url,
    ...more,
  };
  return openFrom(entry, rig);
}

/** Lets the pauses between parts pass until it is done. */
async function whileTimePasses<T>(clock: VirtualClock, work: Promise<T>): Promise<T> {
  let done = false;
  const finished = work.finally(() => {
    done = true;
  });
  while (!done) {
    // Not during a request, which needs real time.
    await until("a pause, or the end", () => done || clock.pending().includes("notify-part"), { everyMs: 1 });
    await clock.advance(100);
  }
  return finished;
}

/** Refuses what Telegram would refuse, and accepts the rest. */
function telegram(): HttpPlace {
  return serveHttp(({ json }, count) => {
    const mode = (json.parse_mode ?? "none") as keyof typeof parsers;
    try {
      const { text } = parsers[mode](String(json.text));
      if (text.trim() === "") return refusal(400, "Bad Request: message text is empty");
      if (text.trim().length > 4096) return refusal(400, "Bad Request: message is too long");
      return ok(count);
    } catch (error) {
      return refusal(400, (error as Error).message);
    }
  });
}

describe("messaging_bot", () => {
  test("sends what the Telegram Bot API expects, with the title in bold above the message", async () => {
    using place = telegram();
    const delivery = await bot(place, { parse_mode: "HTML" }).send(messageOf("The <b>door</b> is open"), never());
    expect(delivery).toEqual({ status: 200, answer: "ok, message 1", parts: 1 });
    expect(place.seen.map(({ path, contentType, json }) => ({ path, contentType, json }))).toEqual([
      {
        path: `/bot${TOKEN}/sendMessage`,
        contentType: "application/json",
        json: { chat_id: "-1001", parse_mode: "HTML", text: "<b>Hub Alert</b>\nThe <b>door</b> is open" },
      },
    ]);
  });

  test("a silent message, or one of low priority, arrives without a sound", async () => {
    using place = telegram();
    for (const options of [{ silent: true }, { priority: -1 }, { priority: 2 }, { silent: false, priority: -1 }])
      await bot(place).send(messageOf("x", options), never());
    expect(place.seen.map(({ json }) => json.disable_notification)).toEqual([true, true, undefined, undefined]);
  });

  test.each([
    [undefined, "Alert! a<b>_c\nx"],
    ["HTML", "<b>Alert! a&lt;b&gt;_c</b>\nx"],
    ["Markdown", "*Alert! a<b>_c*\nx"],
    ["MarkdownV2", "*Alert\\! a<b\\>\\_c*\nx"],
  ])("%s: the title is plain text, in bold where there is bold", async (parse_mode, text) => {
    using place = telegram();
    await bot(place, parse_mode ? { parse_mode } : {}).send(messageOf("x", { title: "Alert! a<b>_c" }), never());
    expect(place.seen.map(({ json }) => json.text)).toEqual([text]);
  });

  test("a late message says when it happened, in local time", async () => {
    using place = telegram();
    await bot(place, { parse_mode: "MarkdownV2" }).send(messageOf("open", { late: true }), never());
    expect(parsers.MarkdownV2(String(place.seen[0]?.json.text)).text).toBe(
      "Hub Alert\nopen\n\n(delivered late; this is from 2026-11-21 14:02)",
    );
  });

  test.each(["HTML", "Markdown", "MarkdownV2"])(
    "%s: a message whose markup is refused arrives as plain text, once, and is logged",
    async (parse_mode) => {
      using place = telegram();
      const rig = createRig();
      const broken = parse_mode === "HTML" ? "<b>open & a &lt; b" : "*open a\\_b";
      const delivery = await bot(place, { parse_mode }, rig).send(messageOf(broken), never());
      expect(delivery.note).toStartWith(
        "sent as plain text, as the markup was refused: Bad Request: can't parse entities",
      );
      expect(place.seen).toHaveLength(2);
      expect(place.seen[1]?.json.parse_mode).toBeUndefined();
      expect(String(place.seen[1]?.json.text)).toBe(
        parse_mode === "HTML" ? "Hub Alert\nopen & a < b" : "Hub Alert\nopen a_b",
      );
      expect(rig.output.text).toContain("the markup was refused");
    },
  );

  test("an echoed token is not logged, however short it is", async () => {
    using place = serveHttp(({ path }) => refusal(400, `Bad Request: can't parse entities in ${path}`));
    const rig = createRig();
    const more = { parse_mode: "HTML", bot_token: "12:a-short-one" };
    await failureOf(bot(place, more, rig).send(messageOf("x"), never()));
    expect(rig.output.text).toContain("/bot[redacted]/sendMessage");
    expect(rig.output.text).not.toContain("a-short-one");
  });

  test("a text that becomes longer without its markup arrives in parts, a second apart", async () => {
    using place = telegram();
    const clock = createVirtualClock();
    const channel = bot(place, { parse_mode: "HTML" }, createRig(clock));
    const source = `</i>${'<a href="https://x.org/a">ab</a> '.repeat(300)}`;
    const delivery = await whileTimePasses(clock, channel.send(messageOf(source), never()));
    expect(delivery.parts).toBe(2);
    const plain = place.seen.slice(1).map(({ json }) => String(json.text));
    expect(plain.join(" ").split("ab (https://x.org/a)")).toHaveLength(301);
    expect(plain.every((text) => text.length <= 4096)).toBe(true);
    expect(clock.mono()).toBeGreaterThanOrEqual(1000);
  });

  test("a message that is refused as plain text too is not tried a third time", async () => {
    using place = serveHttp(() => refusal(400, "Bad Request: can't parse entities: whatever"));
    const failure = await failureOf(bot(place, { parse_mode: "HTML" }).send(messageOf("x"), never()));
    expect(failure.fault).toMatchObject({ transient: false, status: 400 });
    expect(place.seen).toHaveLength(2);
  });

  test.each([undefined, "HTML", "Markdown", "MarkdownV2"])(
    "%s: of 100 kB arrive five parts, in order, a second apart, and how much is missing",
    async (parse_mode) => {
      using place = telegram();
      const clock = createVirtualClock();
      const words = Array.from({ length: 14_000 }, (_, index) => `w${index}`);
      const channel = bot(place, parse_mode ? { parse_mode } : {}, createRig(clock));
      const message = messageOf(words.join(" "), { repeats: "(2 times since 14:02)" });
      const begun = clock.mono();
      const delivery = await whileTimePasses(clock, channel.send(message, never()));
      expect([delivery.parts, delivery.note, place.seen.length]).toEqual([5, undefined, 5]);
      expect(clock.mono() - begun).toBeGreaterThanOrEqual(4000);
      const shown = place.seen.map(
        ({ json }) => parsers[(parse_mode ?? "none") as keyof typeof parsers](String(json.text)).text,
      );
      const found = shown.join(" ").match(/w\d+/g) ?? [];
      // The last word may be cut.
      expect(found.slice(0, -1)).toEqual(words.slice(0, found.length - 1));
      const [, more = ""] = /… \((\d+) more characters\) \(2 times since 14:02\)$/.exec(shown.at(-1) ?? "") ?? [];
      const seen = shown.join(" ").length - "… ( more characters) (2 times since 14:02)".length - more.length;
      expect(Math.abs(seen + Number(more) - `Hub Alert\n${words.join(" ")}`.length)).toBeLessThan(10);
    },
  );

  test("a text of five parts is not shortened, whatever stands behind it", async () => {
    using place = telegram();
    const clock = createVirtualClock();
    const text = "x".repeat(4096 * 5 - "Hub Alert\n".length - 30);
    const sending = bot(place, {}, createRig(clock)).send(messageOf(text, { repeats: "(2 times)" }), never());
    expect((await whileTimePasses(clock, sending)).parts).toBe(5);
    expect(String(place.seen.at(-1)?.json.text)).toEndWith("xx (2 times)");
  });

  test("between two parts a more urgent message may go first", async () => {
    using place = telegram();
    const clock = createVirtualClock();
    const channel = bot(place, {}, createRig(clock));
    const text = ["a", "b", "c"].map((letter) => letter.repeat(3000)).join("\n");
    const yieldsNow = () => place.seen.length === 2;
    const failure = await whileTimePasses(clock, failureOf(channel.send(messageOf(text, { yieldsNow }), never())));
    expect(failure.fault).toEqual({ transient: true, yielded: true, partsArrived: 2 });
    await whileTimePasses(clock, channel.send(messageOf("fire"), never()));
    await whileTimePasses(clock, channel.send(messageOf(text, { skipParts: 2, yieldsNow }), never()));
    const sent = place.seen.map(({ json }) => String(json.text).replace(/(.)\1{2,}/g, "$1"));
    expect(sent).toEqual(["Hub Alert\na", "b", "Hub Alert\nfire", "c"]);
  });

  test.each([
    ["Bad Request: message text is empty", "<b>\u200b</b>x", "Hub Alert\n\u200bx"],
    ["Bad Request: text must be encoded in UTF-8", "<i>a</i> &lt; b", "Hub Alert\na < b"],
    ["Bad Request: MESSAGE_TOO_LONG", `<b>${"word ".repeat(700)}</b>`, undefined],
    ["Bad Request: some reason that nobody knows yet", '<a href="https://x.org">x</a>', "Hub Alert\nx (https://x.org)"],
  ])("%s: one last try as plain text", async (description, text, shown) => {
    using place = serveHttp(({ json }, count) =>
      json.parse_mode !== undefined || String(json.text).length > 2000 ? refusal(400, description) : ok(count),
    );
    const clock = createVirtualClock();
    const channel = bot(place, { parse_mode: "HTML" }, createRig(clock));
    const delivery = await whileTimePasses(clock, channel.send(messageOf(text), never()));
    expect(delivery.note).toBe(`sent as plain text, as the text was refused: ${description}`);
    const sent = place.seen.slice(1).map(({ json }) => String(json.text));
    const words = sent.flatMap((part) => part.split(/\s/));
    if (shown === undefined) expect(words).toEqual(["Hub", "Alert", ...Array<string>(700).fill("word")]);
    else expect(sent).toEqual([shown]);
    expect(sent.join("")).not.toMatch(/<[a-z/]|&lt;/);
  });

  test.each(["chat not found", "message thread not found", "not enough rights to send text messages to the chat"])(
    "%s is not about the text: no other try",
    async (description) => {
      using place = serveHttp(() => refusal(400, `Bad Request: ${description}`));
      await failureOf(bot(place, { parse_mode: "HTML" }).send(messageOf("<b>x</b>"), never()));
      expect(place.seen).toHaveLength(1);
    },
  );

  test("parts that arrived before are not sent again", async () => {
    using place = serveHttp((_, count) => (count === 2 ? refusal(502, "Bad Gateway") : ok(count)));
    const clock = createVirtualClock();
    const channel = bot(place, {}, createRig(clock));
    const text = ["a", "b", "c"].map((letter) => letter.repeat(3000)).join("\n");
    const failure = await whileTimePasses(clock, failureOf(channel.send(messageOf(text), never())));
    expect(failure.fault).toMatchObject({ transient: true, partsArrived: 1 });
    await whileTimePasses(clock, channel.send(messageOf(text, { late: true, skipParts: 1 }), never()));
    expect(place.seen.map(({ json }) => String(json.text).replace(/(.)\1+/g, "$1"))).toEqual([
      expect.stringMatching(/^Hub Alert\na$/),
      "b",
      "b",
      expect.stringMatching(/^c\s+\(delivered late/),
    ]);
  });

  test("a text with more parts than time allows reports how many arrived", async () => {
    using place = telegram();
    const clock = createVirtualClock();
    const stop = new AbortController();
    clock.after("stop", 2500, () => stop.abort());
    const sending = failureOf(bot(place, {}, createRig(clock)).send(messageOf("word ".repeat(20_000)), stop.signal));
    const failure = await whileTimePasses(clock, sending);
    expect(failure.message).toBe("the time was over before all parts were sent (after 3 parts)");
    expect(failure.fault).toEqual({ transient: true, partsArrived: 3 });
  });

  test("a group with a new id gets the message, and the log says to change chat_id", async () => {
    using place = serveHttp(({ json }, count) =>
      json.chat_id === "-1001"
        ? refusal(400, "Bad Request: group chat was upgraded to a supergroup chat", { migrate_to_chat_id: -1002000 })
        : ok(count),
    );
    const rig = createRig();
    const channel = bot(place, {}, rig);
    expect((await channel.send(messageOf("one"), never())).note).toBe("the group moved to -1002000; change chat_id");
    expect((await channel.send(messageOf("two"), never())).note).toContain("-1002000");
    expect(place.seen.map(({ json }) => json.chat_id)).toEqual(["-1001", "-1002000", "-1002000"]);
    expect(rig.output.text.match(/change chat_id/g)).toHaveLength(1);
  });

  test.each([
    [429, "Too Many Requests: retry after 35", { retry_after: 35 }, { transient: true, retryAfterMs: 35_000 }],
    [500, "Internal Server Error", undefined, { transient: true }],
    [502, "Bad Gateway", undefined, { transient: true }],
    [401, "Unauthorized", undefined, { transient: false, hint: expect.stringContaining("bot_token") }],
    [404, "Not Found", undefined, { transient: false, hint: expect.stringContaining("bot_token") }],
    [
      403,
      "Forbidden: bot was blocked by the user",
      undefined,
      { transient: false, hint: expect.stringContaining("blocked") },
    ],
    [400, "Bad Request: chat not found", undefined, { transient: false, hint: expect.stringContaining("chat_id") }],
    [400, "Bad Request: message text is empty", undefined, { transient: false }],
  ])("%d %s", async (status, description, parameters, fault) => {
    using place = serveHttp(() => refusal(status, description, parameters));
    const failure = await failureOf(bot(place).send(messageOf("x"), never()));
    expect(failure.fault).toMatchObject({ ...fault, status, answer: description });
    expect(failure.message).toContain(description);
    expect(place.seen).toHaveLength(1);
  });

  test("buttons that are refused do not lose the message", async () => {
    using place = serveHttp(({ json }) =>
      json.reply_markup === undefined ? ok(1) : refusal(400, "Bad Request: BUTTON_DATA_INVALID"),
    );
    const message = messageOf("fire", { notice: "n-1", answerable: true, actions: [{ id: "a", label: "A" }] });
    const delivery = await bot(place).send(message, never());
    expect(delivery).toMatchObject({ remote: "7/1", note: expect.stringContaining("without its buttons") });
    expect(place.seen.map(({ json }) => json.text)).toEqual(["Hub Alert\nfire", "Hub Alert\nfire"]);
  });

  test("a gateway's 429 without a body is obeyed as well", async () => {
    using place = serveHttp(() => new Response("slow down", { status: 429, headers: { "retry-after": "7" } }));
    expect((await failureOf(bot(place).send(messageOf("x"), never()))).fault).toMatchObject({
      transient: true,
      retryAfterMs: 7000,
    });
  });
});

describe("a server that is not Telegram's", () => {
  test("a redirect is not followed with the token", async () => {
    using other = serveHttp(() => ok(1));
    using place = serveHttp(() => Response.redirect(`${other.url}/login`, 302));
    const failure = await failureOf(bot(place).send(messageOf("x"), never()));
    expect(failure.fault).toMatchObject({ transient: true, status: 302, hint: expect.stringContaining("api_url") });
    expect(other.seen).toEqual([]);
  });

  test("a page instead of an answer is not repeated: the message may have arrived", async () => {
    using place = serveHttp(() => new Response("<html>welcome\n\nto nginx</html>"));
    const failure = await failureOf(bot(place).send(messageOf("x"), never()));
    expect(failure.fault).toMatchObject({ transient: false, answer: "<html>welcome to nginx</html>" });
  });

  test.each([
    ["closes", (socket: import("node:net").Socket) => socket.once("data", () => socket.destroy())],
    ["answers garbage", (socket: import("node:net").Socket) => socket.end("\0\x01\x02 no http\r\n\r\n")],
    [
      "breaks off in the middle",
      (socket: import("node:net").Socket) =>
        socket.once("data", () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{"ok":')),
    ],
  ])("that %s is a transient failure", async (_name, behave) => {
    using place = await serveRaw(behave);
    const failure = await failureOf(bot(place).send(messageOf("x"), never()));
    expect(failure.fault.transient).toBe(true);
    expect(JSON.stringify(failure) + failure.message + failure.stack).not.toContain(TOKEN.slice(7));
  });

  test("an endless answer is cut off", async () => {
    using place = serveHttp(
      () =>
        new Response(
          new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(16_384).fill(97)) }),
          { status: 400 },
        ),
    );
    const failure = await failureOf(bot(place).send(messageOf("x"), never()));
    expect(failure.fault.answer?.length).toBeLessThan(400);
  });

  test.each([
    ["nobody listens", "http://127.0.0.1:1", /ECONNREFUSED/],
    ["the name is unknown", "http://nowhere.invalid", /nowhere\.invalid/],
    ["it speaks no TLS", undefined, /EPROTO|ECONNRESET/],
  ])("where %s it says so without the address's token", async (_name, url, words) => {
    using place = serveHttp(() => ok(1));
    const failure = await failureOf(
      bot({ url: url ?? place.url.replace("http:", "https:") }).send(messageOf("x"), never()),
    );
    expect(failure.fault.transient).toBe(true);
    expect(failure.message).toMatch(words);
    expect(failure.message).not.toContain("/bot");
  });

  test("an answer that stops half-way ends with the signal", async () => {
    using place = await serveRaw(
      (socket) =>
        void socket.once("data", () => void socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{"ok":')),
    );
    const failure = await failureOf(bot(place).send(messageOf("x"), AbortSignal.timeout(100)));
    expect(failure.message).toContain("did not answer in time");
    expect(failure.fault.transient).toBe(true);
  });
});
