// Commands written to a bot: done with the rights of the channel's user, for allowed chats alone, once, and recorded.
import { expect, test } from "bun:test";
import type { JsonObject } from "../../../../src/kit/schema/json.ts";
import { until } from "../../../support/wait.ts";
import { serveTelegram } from "./fake-telegram.ts";
import { ANNA, startHouse } from "./house.ts";

const MANUAL = `id = "gate"
name = "Gate"
[[triggers]]
type = "manual_trigger"
[[actions]]
type = "fire_event"
event_type = "gate"
`;

const channel = (url: string, name: string, id: number, user: string) => `[[notify.channels]]
name = "${name}"
type = "messaging_bot"
bot_token = "777:the-token-of-another-bot"
chat_id = "${id}"
api_url = "${url}"
commands = true
user = "${user}"
`;

test("what is written in an allowed chat is done once, with the rights of its user", async () => {
  using bot = serveTelegram();
  const more = channel(bot.url, "boss", 70, "admin") + channel(bot.url, "kid", 80, "viewer-1");
  await using house = await startHouse(MANUAL, more);
  const { hub } = house;
  await hub.tokenFor("viewer");
  const scene = { id: "evening", name: "Evening", states: { lamp: { on: true } } };
  expect((await hub.request("POST", "/scenes", { token: hub.adminToken, body: scene })).status).toBe(201);
  const ask = async (chat: string, text: string): Promise<string> => {
    const before = bot.texts(chat).length;
    bot.write(chat, text, ANNA);
    await until(`${text} is answered`, () => bot.texts(chat).length > before);
    return bot.texts(chat).at(-1) ?? "";
  };
  expect(await ask("70", "/help")).toContain("/devices [area]");
  expect(await ask("80", "/status@our_bot")).toContain("devices");
  expect(await ask("80", "/devices nowhere")).toContain("No device");
  expect(await ask("80", "/scene evening")).toContain("no scene");
  expect(await ask("80", "/run gate")).toContain("Only administrators");
  expect(await ask("80", "/no")).toContain("There is no /no");
  expect(await ask("70", "/scene evening")).toContain("Evening");
  await ask("70", "/run");
  const choice = bot.last("70");
  if (!choice) throw new Error("no choice");
  const before = bot.texts("70").length;
  bot.press(choice, "Gate", ANNA);
  await until("the rule ran", () => bot.texts("70").length > before);
  expect(await house.events("custom_gate")).toHaveLength(1);
  // Strangers get nothing, nor does what is no command.
  bot.write("666", "/status", ANNA);
  bot.write("70", "hello", ANNA);
  expect(await ask("70", "/help")).toContain("/status");
  expect(bot.texts("666")).toEqual([]);
  const audit = await hub.request("GET", "/system/audit?limit=100", { token: hub.adminToken });
  const rows = ((await audit.json()) as JsonObject[]).filter(({ detail }) =>
    String(detail).startsWith("written by Anna"),
  );
  expect(rows.map(({ action, outcome }) => `${action} ${outcome}`).sort()).toEqual([
    "rule.run ok",
    "rule.run refused",
    "scene.activate ok",
  ]);
});

test("too many are not done", async () => {
  using bot = serveTelegram();
  await using house = await startHouse(MANUAL, channel(bot.url, "boss", 70, "admin"));
  for (let one = 0; one < 25; one++) bot.write("70", "/run gate", ANNA);
  await until("all are answered", () => bot.texts("70").length === 25);
  expect(await house.events("custom_gate")).toHaveLength(20);
});
