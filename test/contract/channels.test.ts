// Run for every kind of channel there is, whoever adds one: unknown keys are refused, nothing connects before a message is
// sent, a signal ends a sending, and no secret is in anything it says.
import { describe, expect, test } from "bun:test";
import type { TSchema } from "@sinclair/typebox";
import { isObject, type Json, type JsonObject } from "../../src/kit/schema/json.ts";
import { checkValue } from "../../src/kit/schema/schema.ts";
import type { ChannelDefinition } from "../../src/reach/notify/channel.ts";
import { kinds } from "../../src/reach/notify/channels/index.ts";
import { readChannels } from "../../src/reach/notify/config.ts";
import { writtenFor } from "../../src/reach/notify/markup/written-for.ts";
import { createScrubber, secretsOf } from "../../src/reach/notify/secrets.ts";
import {
  configOf,
  createRig,
  failureOf,
  messageOf,
  never,
  openFrom,
  type RawPlace,
  serveRaw,
} from "../reach/notify/rig.ts";

const PLANTED = "planted-Secret_0123456789";

const SECRET_NAME = /(token|key|password|passphrase|secret)$/;

/** A kind's example that sends to a server of ours, with a planted secret for each of its own. */
function entryOf({ kind, schema, example }: ChannelDefinition, place: RawPlace): JsonObject {
  return { ...filledIn(schema, example, place), type: kind };
}

/** These keys say where a channel sends. It sends in the clear, so that our server can read it. */
function filledIn(schema: TSchema, example: JsonObject, place: RawPlace): JsonObject {
  const { url, port } = place;
  const address: JsonObject = {
    ...{ api_url: url, server: url, homeserver: url, host: "localhost", port, tls: false, starttls: false },
    ...{ url: `${url}/hook?key=${PLANTED}`, allow_local: true },
  };
  const entries = Object.entries(schema.properties as Record<string, TSchema>).map(([key, field]) => {
    const value = example[key];
    if (Object.hasOwn(address, key)) return [key, address[key]];
    if (field.properties) return [key, filledIn(field, isObject(value) ? value : {}, place)];
    if (field.items?.properties && Array.isArray(value))
      return [key, value.map((item) => filledIn(field.items, isObject(item) ? item : {}, place))];
    const isGiven = value !== undefined || schema.required?.includes(key);
    return [key, isGiven && (field.secret || SECRET_NAME.test(key)) ? plantedIn(field, value) : value];
  });
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined)) as JsonObject;
}

/** With characters that are written differently in JSON and in addresses, where the field takes them. */
function plantedIn(field: TSchema, example: Json | undefined): string {
  const before = /^[0-9]+:/.exec(String(example))?.[0] ?? "";
  const texts = [`${PLANTED} ü"%`, PLANTED, `${before}${PLANTED}`];
  const fitting = texts.find((text) => checkValue(field, text).ok);
  if (fitting === undefined) throw new Error(`no planted secret is taken where the example has ${example}`);
  return fitting;
}

// What a server may do with what it is sent: the secret comes back in whichever form it came.
const BEHAVIOURS: Record<string, (echo: string) => string | undefined> = {
  "echoes all it got as an answer": (echo) => httpAnswer(400, echo),
  "echoes it as an error of the service": (echo) =>
    httpAnswer(400, JSON.stringify({ ok: false, error_code: 400, description: echo, errors: [echo], status: 0 })),
  "says the markup is wrong, with an echo": (echo) =>
    httpAnswer(400, JSON.stringify({ ok: false, error_code: 400, description: `can't parse entities: ${echo}` })),
  "accepts it with an echo": (echo) =>
    httpAnswer(
      200,
      JSON.stringify({
        ...{ ok: true, status: 1, request: echo, receipt: echo, result: { message_id: echo } },
        ...{ id: echo, sequence_id: echo, event_id: echo },
      }),
    ),
  "sends elsewhere": (echo) =>
    `HTTP/1.1 302 Found\r\nlocation: http://127.0.0.1:1/${encodeURIComponent(echo)}\r\ncontent-length: 0\r\n\r\n`,
  "is in trouble": (echo) => httpAnswer(503, echo),
  closes: () => undefined,
};

function httpAnswer(status: number, body: string): string {
  return `HTTP/1.1 ${status} X\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`;
}

/** A mail server speaks first. */
const isMail = ({ schema }: ChannelDefinition): boolean => JSON.stringify(schema).includes('"starttls"');

/** HTTP as the behaviour says; SMTP that lets log in, and refuses with an echo of all that was said. */
function serveEcho(definition: ChannelDefinition, behave: (echo: string) => string | undefined): Promise<RawPlace> {
  return serveRaw((socket) => {
    let got = "";
    if (isMail(definition)) socket.write("220 echo\r\n");
    socket.on("data", (data: Buffer) => {
      got += data.toString();
      if (/^EHLO/.test(got)) {
        const login = /AUTH PLAIN (.*)\r\n/.exec(got)?.[1];
        if (login === undefined) return void socket.write("250-echo\r\n250 AUTH PLAIN\r\n");
        const decoded = Buffer.from(login, "base64").toString().replaceAll("\0", " ");
        return void socket.write(`535 ${login} is ${decoded}, ${encodeURIComponent(decoded)}\r\n`);
      }
      if (!got.includes("\r\n\r\n")) return;
      const answer = behave(got.replaceAll("\r\n", " "));
      if (answer === undefined) socket.destroy();
      else socket.end(answer);
    });
  });
}

const definitions = kinds as readonly unknown[] as readonly ChannelDefinition[];
const all = definitions.map((definition) => ({ kind: definition.kind, definition }));
/** These send to where no configuration says: the hub's own broker, and the browsers that asked for messages. */
const OWN_WAY = ["mqtt", "web_push"];
const reaching = all.filter(({ kind }) => !OWN_WAY.includes(kind));

describe.each(all)("$kind", ({ kind, definition }) => {
  const entry = (place: RawPlace): JsonObject => entryOf(definition, place);

  test("is described by a sentence, and its example is right as it is", () => {
    expect(definition.doc).toMatch(/^[A-Z].*\.$/);
    const { entries, problems } = readChannels([{ ...definition.example, type: kind }]);
    expect(problems).toEqual([]);
    expect(entries).toMatchObject([{ kind, config: definition.example }]);
  });

  test("refuses keys it does not know, and names which are near", async () => {
    using place = await serveRaw(() => {});
    expect(readChannels([entry(place)]).problems.filter(({ warning }) => !warning)).toEqual([]);
    const known = Object.keys(definition.schema.properties).find((key) => key.length > 3) ?? "";
    const { entries, problems } = readChannels([{ ...entry(place), [`${known}x`]: 1 }]);
    expect(problems).toContainEqual({
      path: `notify.channels[0].${known}x`,
      message: `unknown key "${known}x" – did you mean "${known}"?`,
      confined: true,
    });
    expect(entries[0]).toHaveProperty("problem");
  });

  test("marks its secrets", async () => {
    using place = await serveRaw(() => {});
    const config = configOf(entry(place));
    const planted = JSON.stringify(config).split(PLANTED).length - 1;
    expect(secretsOf(definition.schema, config)).toHaveLength(planted);
    const wrong = readChannels([{ ...entry(place), name: 7, extra: true }]);
    expect(JSON.stringify(wrong)).not.toContain(PLANTED);
  });

  test("shows no tags of an author's HTML, unless it speaks HTML", async () => {
    using place = await serveRaw(() => {});
    const { dialect } = openFrom(entry(place));
    if (!dialect) throw new Error("it says nothing of how its texts are written");
    const { message } = writtenFor(dialect, [{ markup: "<b>open</b> at " }, { value: "5 °C" }], { markup: "html" });
    expect(message).toBe(dialect.own === "HTML" ? "<b>open</b> at 5 °C" : "open at 5 °C");
  });

  test("refuses what was cancelled before", async () => {
    using place = await serveRaw(() => {});
    const failure = await failureOf(openFrom(entry(place)).send(messageOf("x"), AbortSignal.abort()));
    expect(failure.fault.transient).toBe(true);
    expect(place.connections()).toBe(0);
  });
});

describe.each(reaching)("$kind", ({ definition }) => {
  const entry = (place: RawPlace): JsonObject => entryOf(definition, place);

  test("connects to nothing when it is opened", async () => {
    using place = await serveRaw((socket) => void socket.destroy());
    const [channel] = [openFrom(entry(place)), openFrom(entry(place)), openFrom(entry(place))];
    await failureOf(channel.send(messageOf("x"), never()));
    expect(place.connections()).toBe(1);
  });

  test("ends when it is cancelled", async () => {
    const connected = Promise.withResolvers<void>();
    using place = await serveRaw(() => connected.resolve());
    const stop = new AbortController();
    const failure = failureOf(openFrom(entry(place)).send(messageOf("x"), stop.signal));
    await connected.promise;
    stop.abort();
    expect((await failure).fault.transient).toBe(true);
    expect(place.connections()).toBe(1);
  });

  test.each(Object.keys(BEHAVIOURS))("reports no secret where the server %s", async (name) => {
    using place = await serveEcho(definition, BEHAVIOURS[name] ?? (() => undefined));
    const rig = createRig();
    const config = entry(place);
    const said = await openFrom(config, rig)
      .send(messageOf("x"), never())
      .catch((error: Error & { fault?: unknown; details?: unknown }) => ({
        text: [error.message, error.stack, String(error.cause), Bun.inspect(error)],
        fault: error.fault,
        details: error.details,
      }));
    const everything = JSON.stringify(said) + rig.output.text;
    expect(place.connections()).toBeGreaterThan(0);
    for (const form of formsOf(config)) expect(everything).not.toContain(form);
  });

  test("reports no secret where nobody listens", async () => {
    let gone: JsonObject = {};
    {
      using place = await serveRaw(() => {});
      gone = entry(place);
    }
    const rig = createRig();
    const failure = await failureOf(openFrom(gone, rig).send(messageOf("x"), never()));
    const everything = Bun.inspect(failure) + JSON.stringify(failure) + failure.stack + rig.output.text;
    for (const form of formsOf(gone)) expect(everything).not.toContain(form);
    expect(failure.fault).toMatchObject({ transient: true, hint: expect.any(String) });
  });
});

/** The planted text in every form that betrays it. */
function formsOf(config: JsonObject): string[] {
  const whole = [...JSON.stringify(config).matchAll(/planted-Secret_0123456789[^"\\]*/g)].map(([text]) => text);
  // In a login, what stands before it shifts it.
  const inBase64 = [0, 1, 2].map((before) => Buffer.from(`${"x".repeat(before)}${PLANTED}`).toString("base64"));
  return [...whole, PLANTED, ...inBase64.map((text) => text.replace(/=+$/, "").slice(4, -2))];
}

test("a secret is found as forms write it, and its beginning where a text was cut", () => {
  const scrub = createScrubber([`${PLANTED} ü'`]);
  for (const text of [`token=${PLANTED}+%C3%BC%27&x=1`, `token=${PLANTED.slice(0, 9)}`, `a ${PLANTED}… b`]) {
    expect(scrub(text)).toContain("[redacted]");
    expect(scrub(text)).not.toContain("planted");
  }
  expect(scrub("token=pla, planted it")).toBe("token=pla, planted it");
});

test("a secret is found in each of base64's three places", () => {
  const scrub = createScrubber([PLANTED]);
  for (const before of ["", "a", "ab", "abc", "\0user\0"]) {
    const text = Buffer.from(`${before}${PLANTED}tail`).toString("base64");
    expect(scrub(`login ${text} refused`)).toContain("[redacted]");
  }
  expect(scrub("nothing to hide")).toBe("nothing to hide");
});
