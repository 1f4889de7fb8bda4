// The notifications of the contract's two situations, from a rule file and a plugin's report to the servers of the channels:
// Telegram in every parse mode, Pushover and e-mail, with names and values that are full of markup.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type Certificates, createCertificates } from "../reach/notify/certificates.ts";
import { type MailServer, PASSWORD, serveMail } from "../reach/notify/mail-server.ts";
import { type HttpPlace, type SeenRequest, serveHttp } from "../reach/notify/rig.ts";
import { type ParseMode, parsers } from "../reach/notify/telegram-parsers.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";
import { until } from "../support/wait.ts";
import { openHouse } from "./evening.ts";

const folder = createTemporaryFolder();
let tls: Certificates;
beforeAll(() => {
  tls = createCertificates(folder);
});
afterAll(() => folder[Symbol.dispose]());

const NASTY = "a<b>_c.d&e";
const MODES = ["none", "HTML", "Markdown", "MarkdownV2"] as const;
/** How an author makes a word bold. */
const BOLD = { none: ["", ""], HTML: ["<b>", "</b>"], Markdown: ["*", "*"], MarkdownV2: ["*", "*"] } as const;

/** A chat for each mode, a phone and a mailbox. */
function channels(place: HttpPlace, mail: MailServer): string {
  const chats = MODES.map(
    (mode, number) => `[[notify.channels]]
name = "chat-${mode}"
type = "messaging_bot"
bot_token = "12345:token-of-the-bot"
chat_id = "${number + 1}"
api_url = "${place.url}"
${mode === "none" ? "" : `parse_mode = "${mode}"`}
`,
  );
  return `${chats.join("\n")}
[[notify.channels]]
name = "phone"
type = "push_app"
api_key = "an-app-key"
user_key = "a-user-key"
priority = 1
api_url = "${place.url}"

[[notify.channels]]
name = "mail"
type = "email"
from = "hub@home.example"
to = ["anna@home.example", "ben@home.example"]
smtp = { host = "localhost", port = ${mail.port}, username = "hub", password = "${PASSWORD}", starttls = true, tls_ca = "${tls.authority}" }
`;
}

/** Answers as the Telegram server does: it refuses markup that it cannot parse. */
function answer({ path, json }: SeenRequest): { status?: number; json: unknown } {
  if (!path.startsWith("/bot")) return { json: { status: 1, request: "r" } };
  try {
    parsers[modeOf(json)](String(json.text));
    return { json: { ok: true, result: { message_id: 1 } } };
  } catch (error) {
    return { status: 400, json: { ok: false, error_code: 400, description: (error as Error).message } };
  }
}

function modeOf(json: SeenRequest["json"]): ParseMode {
  return (json.parse_mode ?? "none") as ParseMode;
}

interface Read {
  mode: ParseMode;
  text: string;
  bold: string[];
}

/** The texts that people read in the chats, in the order of MODES. */
function chats(place: HttpPlace): Read[] {
  return place.seen
    .filter(({ path }) => path.startsWith("/bot"))
    .toSorted((a, b) => Number(a.json.chat_id) - Number(b.json.chat_id))
    .map(({ json }) => {
      const { text, entities } = parsers[modeOf(json)](String(json.text));
      const bold = entities.filter(({ type }) => type === "b" || type === "strong");
      return { mode: modeOf(json), text, bold: bold.map(({ from, to }) => text.slice(from, to)) };
    });
}

/** The author's own text contains no characters that MarkdownV2 reserves. */
const DOOR = `(
  name: "Front door left open", cooldown_secs: 600,
  trigger: Cron(expression: "0 * * * * *"),
  conditions: [
    DeviceState(device_id: "front_door", attribute: "open", op: Eq, value: true),
    TimeElapsed(device_id: "front_door", attribute: "open", duration_secs: 600),
  ],
  actions: [
    Parallel(actions: [
      Notify(channel: "all", title: "{{device.name}}", message: "{{device.name}} is open: {{device.open}}, {{device.note}}"),
      Notify(channel: "log", message: "sent: {{device.name}} {{device.note}}"),
    ]),
  ],
)`;

test("the door: every message has the name and the value, letter by letter", async () => {
  using place = serveHttp(answer);
  await using mail = await serveMail(tls);
  await using house = await openHouse({ "door.ron": DOOR }, { toml: channels(place, mail), fetch });
  await house.register("front_door", NASTY);
  await house.moveTo("20:00:30");
  await house.report("front_door", { open: true, note: NASTY });
  await house.moveTo("20:10:59");
  expect(place.seen).toEqual([]);
  await house.moveTo("20:11:00");
  await until("all have it", () => place.seen.length === MODES.length + 1 && mail.mails.length === 1);

  const message = `${NASTY} is open: true, ${NASTY}`;
  expect(chats(place)).toEqual(
    MODES.map((mode) => ({ mode, text: `${NASTY}\n${message}`, bold: mode === "none" ? [] : [NASTY] })),
  );
  const phone = place.seen.find(({ path }) => path === "/1/messages.json")?.form;
  expect(phone && Object.fromEntries(phone)).toMatchObject({ title: NASTY, message, priority: "1" });
  const [{ to = [], raw = "" } = {}] = mail.mails;
  expect(to).toEqual(["anna@home.example", "ben@home.example"]);
  expect(raw).toContain(`Subject: ${NASTY}\r\n`);
  expect(raw).toContain(message);
  expect(house.sent()).toEqual([`20:11:00 sent: ${NASTY} ${NASTY}`]);

  // Ten minutes without it, then once more.
  await house.moveTo("20:20:59");
  expect(mail.mails).toHaveLength(1);
  await house.moveTo("20:21:00");
  await until("all have it again", () => place.seen.length === 2 * (MODES.length + 1) && mail.mails.length === 2);
});

/** A rule of the author's own markup for each chat. */
function warm(mode: ParseMode): string {
  const [from, to] = BOLD[mode];
  return `(
  name: "Too warm for ${mode}", cooldown_secs: 3600,
  trigger: DeviceStateChanged(device_id: "living_room_sensor", attribute: "temperature"),
  conditions: [DeviceState(device_id: "living_room_sensor", attribute: "temperature", op: Gt, value: 28)],
  actions: [
    Notify(channel: "chat-${mode}", title: "Temperature", message: "${from}{{device.name}}${to} has {{device.temperature}} °C, {{device.note}}"),
  ],
)`;
}

test("the temperature: the author's markup is applied, and values are not parsed as markup", async () => {
  using place = serveHttp(answer);
  await using mail = await serveMail(tls);
  const files = Object.fromEntries(MODES.map((mode) => [`warm-${mode}.ron`, warm(mode)]));
  await using house = await openHouse(files, { toml: channels(place, mail), fetch });
  await house.register("living_room_sensor", NASTY);
  for (const [time, temperature] of [
    ["20:00:00", 27.5],
    ["20:01:00", 28],
    // A float of 32 bits.
    ["20:02:07", 28.149999618530273],
    ["20:30:00", 31],
    ["21:02:06", 30],
  ] as const) {
    await house.moveTo(time);
    await house.report("living_room_sensor", { temperature, note: NASTY });
  }
  await until("each chat has it", () => place.seen.length === MODES.length);
  expect(chats(place)).toEqual(
    MODES.map((mode) => ({
      mode,
      text: `Temperature\n${NASTY} has 28.15 °C, ${NASTY}`,
      bold: mode === "none" ? [] : ["Temperature", NASTY],
    })),
  );
  await house.moveTo("21:02:07");
  await house.report("living_room_sensor", { temperature: -3.5, note: NASTY });
  await house.report("living_room_sensor", { temperature: 30.5, note: NASTY });
  await until("an hour later each has it again", () => place.seen.length === 2 * MODES.length);
  expect(chats(place).map(({ text }) => text)).toContain(`Temperature\n${NASTY} has 30.5 °C, ${NASTY}`);
  expect(mail.mails).toEqual([]);
});
