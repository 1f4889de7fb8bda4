import { describe, expect, test } from "bun:test";
import { Value } from "@sinclair/typebox/value";
import type { JsonObject } from "../../../src/kit/schema/json.ts";
import { NotifySection } from "../../../src/reach/notify/config.ts";
import { createNotifier, type Notifier } from "../../../src/reach/notify/notifier.ts";
import { createVirtualClock } from "../../support/virtual-clock.ts";
import { soon, until } from "../../support/wait.ts";
import { AT, createRig, type HttpPlace, never, type Rig, serveHttp, serveRaw } from "./rig.ts";
import { parsers } from "./telegram-parsers.ts";

const taken = { json: { ok: true, status: 1, request: "r", result: { message_id: 1 } } };
const push = (name: string, { url }: { url: string }, more: JsonObject = {}): JsonObject => ({
  name,
  type: "push_app",
  api_key: "an-app-key",
  user_key: "a-user-key",
  api_url: url,
  ...more,
});
const bot = (name: string, { url }: { url: string }, more: JsonObject = {}): JsonObject => ({
  name,
  type: "messaging_bot",
  bot_token: "12345:token-of-the-bot",
  chat_id: "7",
  api_url: url,
  ...more,
});

function notifierOf(channels: JsonObject[], rig: Rig = createRig()): Notifier {
  return createNotifier({
    ...rig.deps,
    section: Value.Default(NotifySection, { channels }) as NotifySection,
    timezone: "Europe/Berlin",
    house: {
      device: (id) => (id === "door" ? { id, name: "a<b>_c.d&e", attributes: { open: true, level: 21.5 } } : undefined),
      variable: () => undefined,
    },
  });
}

const context = { deviceId: "door", trigger: {}, vars: {} };

describe("channels by name", () => {
  test("an unknown name is not found, and a similar one is suggested", async () => {
    using place = serveHttp(() => taken);
    const notifier = notifierOf([push("phone", place)]);
    expect(notifier.send({ channel: "phnoe", message: "x" }, never())).rejects.toMatchObject({
      code: "not_found",
      message: 'there is no channel "phnoe" – did you mean "phone"?',
    });
    expect(["phone", "log", "all", "phnoe"].map(notifier.has)).toEqual([true, true, true, false]);
  });

  test("log writes one line, whatever the message contains, also with a quieter [log] level", async () => {
    const rig = createRig();
    const [outcome] = await notifierOf([], rig).send(
      { channel: "log", message: "open\n2026 [ERR] forged", title: "T" },
      never(),
    );
    expect(outcome).toMatchObject({ channel: "log", kind: "log", result: { ok: true, delivery: { parts: 1 } } });
    const lines = rig.output.text.trim().split("\n");
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain('[WRN] hub: T message="open\\n2026 [ERR] forged"');
  });

  test("all means every configured channel, and is a conflict when there is none", async () => {
    using place = serveHttp(() => taken);
    const outcomes = await notifierOf([push("a", place), bot("b", place)]).send(
      { channel: "all", message: "x" },
      never(),
    );
    expect(outcomes.map(({ channel, result }) => [channel, result.ok])).toEqual([
      ["a", true],
      ["b", true],
    ]);
    expect(notifierOf([]).send({ channel: "all", message: "x" }, never())).rejects.toMatchObject({ code: "conflict" });
  });

  test("a disabled channel is reported, and disables no other", async () => {
    using place = serveHttp(() => taken);
    const rig = createRig();
    const notifier = notifierOf(
      [push("a", place, { priority: 3 }), push("b", place), push("b", place), push("log", place)],
      rig,
    );
    expect(rig.output.text.match(/a channel is disabled until its configuration is corrected/g)).toHaveLength(3);
    const outcomes = await notifier.send({ channel: "all", message: "x" }, never());
    expect(outcomes.map(({ channel, result }) => [channel, result.ok])).toEqual([
      ["a", false],
      ["b", true],
    ]);
    expect(outcomes[0]?.result).toMatchObject({
      reason: expect.stringContaining("priority: must be a whole number"),
      fault: { transient: false },
    });
    expect(notifier.list().map(({ name, enabled }) => [name, enabled])).toEqual([
      ["a", false],
      ["b", true],
      ["b", false],
      ["log", false],
      ["log", true],
    ]);
    expect((await notifier.send({ channel: "log", message: "x" }, never()))[0]?.result.ok).toBe(true);
    expect(place.seen).toHaveLength(1);
  });
});

describe("sending", () => {
  test.each(["none", "HTML", "Markdown", "MarkdownV2"] as const)(
    "%s: values are escaped for each channel",
    async (mode) => {
      using place = serveHttp(() => taken);
      const notifier = notifierOf([
        bot("chat", place, mode === "none" ? {} : { parse_mode: mode }),
        push("phone", place),
      ]);
      const markup = {
        none: "",
        HTML: "<b>{{device.name}}</b> ",
        Markdown: "*{{device.name}}* ",
        MarkdownV2: "*{{device.name}}* ",
      }[mode];
      await notifier.send(
        { channel: "all", message: `${markup}{{device.name}} at {{device.level}}`, title: "{{device.name}}!", context },
        never(),
      );
      const chat = place.seen.find(({ path }) => path.startsWith("/bot"));
      const phone = place.seen.find(({ path }) => path.startsWith("/1/"));
      const name = "a<b>_c.d&e";
      expect(parsers[mode](String(chat?.json.text)).text).toBe(
        `${name}!\n${mode === "none" ? "" : `${name} `}${name} at 21.5`,
      );
      expect(phone?.form.get("title")).toBe(`${name}!`);
      expect(phone?.form.get("message")).toContain(`${name} at 21.5`);
    },
  );

  test("a channel that hangs delays no other, and is aborted after 10 s", async () => {
    using good = serveHttp(() => taken);
    using hanging = await serveRaw(() => {});
    const clock = createVirtualClock(AT);
    const notifier = notifierOf([bot("hangs", hanging), push("works", good), bot("works too", good)], createRig(clock));
    const sending = notifier.send({ channel: "all", message: "x" }, never());
    const isAlone = () => clock.pending().filter((name) => name === "notify-send").length === 1;
    await until("the others are answered", () => good.seen.length === 2 && hanging.connections() === 1 && isAlone());
    await clock.advance(9900);
    expect(clock.pending()).toContain("notify-send");
    await clock.advance(100);
    const outcomes = await soon("the outcomes", sending);
    expect(outcomes.map(({ channel, result }) => [channel, result.ok])).toEqual([
      ["hangs", false],
      ["works", true],
      ["works too", true],
    ]);
    expect(outcomes[0]).toMatchObject({
      durationMs: 10_000,
      result: { reason: expect.stringContaining("(10 s)"), fault: { transient: true } },
    });
    expect(clock.pending()).toEqual([]);
  });

  test("the caller's signal ends it too, and a longer time can be set", async () => {
    using hanging = await serveRaw(() => {});
    const clock = createVirtualClock(AT);
    const notifier = notifierOf([bot("hangs", hanging)], createRig(clock));
    const stop = new AbortController();
    const [addressed] = notifier.render({ channel: "hangs", message: "x" });
    if (!addressed) throw new Error("nothing was rendered");
    const sending = notifier.deliver(addressed, stop.signal, 60_000);
    await until("the connection", () => hanging.connections() === 1);
    await clock.advance(59_000);
    stop.abort();
    expect(await soon("the outcome", sending)).toMatchObject({ durationMs: 59_000, result: { ok: false } });
    expect(clock.pending()).toEqual([]);
  });

  test("results are remembered, and a failure is a warning with its hint", async () => {
    let up = false;
    using place: HttpPlace = serveHttp(() =>
      up ? taken : { status: 401, json: { ok: false, description: "Unauthorized" } },
    );
    const rig = createRig(createVirtualClock(AT));
    const notifier = notifierOf([bot("chat", place)], rig);
    expect(notifier.list()[0]).toMatchObject({
      name: "chat",
      kind: "messaging_bot",
      enabled: true,
      lastSuccess: undefined,
      lastError: undefined,
    });
    const [failed] = await notifier.send({ channel: "chat", message: "x" }, never());
    expect(failed?.result).toMatchObject({
      ok: false,
      reason: "the Telegram server refused the message: Unauthorized",
    });
    expect(rig.output.text).toMatch(/\[WRN\].*not delivered channel=chat.*bot_token/);
    up = true;
    await notifier.send({ channel: "chat", message: "x" }, never());
    expect(notifier.list()[0]).toMatchObject({
      lastSuccess: AT,
      lastError: { at: AT, message: "the Telegram server refused the message: Unauthorized" },
    });
  });

  test("a message that is tried again keeps its id", async () => {
    using place = serveHttp(() => ({ status: 500, json: {} }));
    const notifier = notifierOf([bot("chat", place)]);
    const [outcome] = await notifier.send({ channel: "chat", message: "x" }, never());
    expect(outcome?.message.id).toMatch(/^[0-9a-f-]{36}$/);
    const again = await notifier.deliver({ channel: "chat", message: outcome?.message as never }, never());
    expect(again.message).toEqual(outcome?.message as never);
  });
});

describe("one text for all channels", () => {
  const mail = { name: "mail", type: "email", from: "hub@home.example", to: ["a@home.example"] };
  const smtp = { host: "localhost", port: 1, username: "", password: "" };
  const house = (place: { url: string }) => [
    bot("html", place, { parse_mode: "HTML" }),
    bot("v2", place, { parse_mode: "MarkdownV2" }),
    bot("plain", place),
    push("phone", place),
    push("rich", place, { html: true }),
    { ...mail, smtp },
  ];
  const shown = (notifier: Notifier, message: string, markup?: "html" | "markdown" | "none") =>
    Object.fromEntries(
      notifier
        .render({ channel: "all", message, markup, context })
        .map(({ channel, message: { message: text, html }, note }) => [
          channel,
          [text, html, note].filter((one) => one),
        ]),
    );

  test.each([
    ["<b>{{device.name}}</b> is &gt; 21.5<br>open", undefined],
    ["<b>{{device.name}}</b> is > 21.5<br>open", "html"],
    ["**{{device.name}}** is \\> 21.5\nopen", "markdown"],
  ] as const)("%s is shown by each in its own markup", (message, markup) => {
    using place = serveHttp(() => taken);
    const texts = shown(notifierOf(house(place)), message, markup);
    // Where a channel has HTML and nothing says what the text is written in, `<br>` is its author's mistake.
    const note = markup === undefined ? [expect.stringContaining("its markup was mended: there is no tag <br>")] : [];
    expect(texts).toEqual({
      html: ["<b>a&lt;b&gt;_c.d&amp;e</b> is &gt; 21.5\nopen", ...note],
      v2: ["*a<b\\>\\_c\\.d&e* is \\> 21\\.5\nopen"],
      plain: ["a<b>_c.d&e is > 21.5\nopen"],
      phone: ["a<b>_c.d&e is > 21.5\nopen"],
      rich: ["<b>a&lt;b&gt;_c.d&amp;e</b> is &gt; 21.5\nopen", ...note],
      mail: ["a<b>_c.d&e is > 21.5\nopen", "<div><b>a&lt;b&gt;_c.d&amp;e</b> is &gt; 21.5<br>open</div>"],
    });
  });

  test("none is shown as it was typed", () => {
    using place = serveHttp(() => taken);
    const texts = shown(notifierOf(house(place)), "<b>*x*</b>", "none");
    expect([texts.html, texts.v2, texts.plain, texts.mail]).toEqual([
      ["&lt;b&gt;*x*&lt;/b&gt;"],
      ["<b\\>\\*x\\*</b\\>"],
      ["<b>*x*</b>"],
      ["<b>*x*</b>"],
    ]);
  });

  test("a text that is blank once it is filled in is replaced by the title, and its author learns of it", () => {
    using place = serveHttp(() => taken);
    const rendered = notifierOf(house(place)).render({
      ...{ channel: "v2", title: "Door!", message: "{{vars.nothing}}", context: { ...context, vars: { nothing: "" } } },
    });
    expect(rendered).toMatchObject([
      { message: { message: "Door\\!" }, note: "its text was blank: the title was sent in its place" },
    ]);
  });

  test("half an emoji and control characters break nothing", () => {
    using place = serveHttp(() => taken);
    const [rendered] = notifierOf(house(place)).render({
      channel: "html",
      title: "a\ud83d",
      message: "b\udc4d\0\r\nc",
    });
    expect(rendered?.message).toMatchObject({ title: "a\ufffd", message: "b\ufffd\nc" });
  });

  test("what a service refused as it was written is remembered for the rule, until it arrives as written", async () => {
    let refuses = true;
    using place = serveHttp(({ json }) =>
      refuses && json.parse_mode !== undefined
        ? { status: 400, json: { ok: false, error_code: 400, description: "Bad Request: no such colour" } }
        : taken,
    );
    const notifier = notifierOf(house(place));
    const send = () => notifier.send({ channel: "html", message: "<b>x</b>", rule: "r1" }, never());
    await send();
    const refusal =
      "html refused the text of its last message, which was sent as plain text: Bad Request: no such colour";
    expect(notifier.texts.refused.of("r1")).toEqual([refusal]);
    expect(notifier.list().find(({ name }) => name === "html")?.lastNote?.message).toContain("no such colour");
    refuses = false;
    await send();
    expect(notifier.texts.refused.of("r1")).toEqual([]);
    expect(notifier.list().find(({ name }) => name === "html")?.lastNote).toBeUndefined();
  });

  test("what is wrong with a text is known before it is sent", () => {
    using place = serveHttp(() => taken);
    const { problems } = notifierOf(house(place)).texts;
    expect(problems({ message: "{{device.x}} is 21.5", channels: ["v2", "html", "plain"] })).toEqual([
      "v2 shows MarkdownV2: the character . is written \\.; it is mended before it is sent",
    ]);
    expect(problems({ message: "<b>open", channels: ["all"] })).toEqual([
      "html, rich shows HTML: <b> is not closed; it is mended before it is sent",
      "v2 shows MarkdownV2: the character > is written \\>; it is mended before it is sent",
    ]);
    expect(problems({ message: "<b>open</b>", channels: ["all"] })).toEqual([]);
    expect(problems({ message: "<b>open</i> <nobody>", channels: ["all"], markup: "html" })).toEqual([
      "</i> closes before <b> is closed; it is mended before it is sent",
    ]);
    expect(problems({ message: "see <nobody>", channels: ["mail"], markup: "html" })).toEqual([
      "HTML has no <nobody> for messages: it is shown as text",
    ]);
  });
});
