// [standby] acknowledge = "standby" while the second machine stalls without closing: nobody is notified of what rules, webhooks and chats
// change before it goes on, and the hub itself goes on. Telegram and the called service are the script's own. Two bots, as each takes what
// is written to it one after the other.
import { readFileSync } from "node:fs";
import { type FakeTelegram, serveTelegram } from "../../reach/notify/notices/fake-telegram.ts";
import { ANNA, BEN, CONFIRM } from "../../reach/notify/notices/house.ts";
import { chatChannel, hookChannel, hookedRule, hookOf } from "../../reach/notify/notices/rule-texts.ts";
import type { HubProcess } from "../../support/hub-process.ts";
import type { StreamClient } from "../../support/stream-client.ts";
import type { Side } from "../../support/two-machines.ts";
import { until } from "../../support/wait.ts";
import { compare as check } from "../checks.ts";
import { houseOn, type Scene, setVariable, variable } from "./house.ts";

const ANNA_CHAT = "7";
const BEN_CHAT = "8";
const COMMANDS = 10;

const set = (name: string): string => `[[actions]]
type = "set_hub_variable"
name = "${name}"
value = 1
`;
const notify = (channel: string, message: string): string => `[[actions]]
type = "notify"
channel = "${channel}"
message = "${message}"
`;
const RULES = (service: string): string[] => [
  hookedRule(
    "leave",
    `${set("left")}${notify("desk", "Left")}[[actions]]
type = "set_device_state"
device_id = "lamp"
state = { on = false }
[[actions]]
type = "call_service"
url = "${service}/called"
`,
  ),
  hookedRule("ask", `${notify("anna", "Water")}actions = [{ id = "valve", label = "Close the valve" }]\n`),
  hookedRule("rest", `[[triggers]]\ntype = "manual_trigger"\n${set("rested")}`),
];

interface World {
  /** Anna's, who gets messages and presses their buttons, and Ben's, who writes commands. */
  telegram: FakeTelegram;
  bot: FakeTelegram;
  events: StreamClient;
  hub: HubProcess;
  /** What was asked of the service: by the rule, and with a message for its channel. */
  calls: readonly string[];
  webhook: { status?: number };
}

export async function stalled(scene: Scene): Promise<void> {
  const { say } = scene;
  using telegram = serveTelegram();
  using bot = serveTelegram();
  const calls: string[] = [];
  await using service = Bun.serve({
    ...{ hostname: "127.0.0.1", port: 0 },
    fetch({ url }) {
      calls.push(new URL(url).pathname);
      return new Response("ok");
    },
  });
  const anna = chatChannel(telegram, "anna", Number(ANNA_CHAT));
  const ben = chatChannel(bot, "ben", Number(BEN_CHAT)).replace("12345:", "54321:");
  const url = `http://127.0.0.1:${service.port}`;
  const desk = hookChannel({ url }, "desk");
  const more = `acknowledge = "standby"\n${anna}${desk}${ben}commands = true\nuser = "admin"\n`;
  await using house = await houseOn(scene, { more });
  const { first, second } = house;
  const hub = first.process;
  await second.isWhole();
  await until("it confirms", async () => (await setVariable(first, "ready", 1)) === 200);
  for (const rule of RULES(url)) await hub.request("POST", "/rules", { body: Bun.TOML.parse(rule) });
  const events = await hub.openStream();
  const lamp = await openLamp(hub);
  const question = await asked(hub, telegram);
  const world: World = { telegram, bot, events, hub, calls, webhook: {} };

  await stop(second);
  try {
    const call = hub.request("POST", hookOf("leave"), { token: null, body: {} });
    const answered = call.then(({ status }) => Object.assign(world.webhook, { status }));
    const press = telegram.press(question, CONFIRM, ANNA);
    bot.write(BEN_CHAT, "/run rest", BEN);
    await until("the rule has switched the lamp", () => lamp.commands() > 0);
    await until("it has written its message", () => isWritten(world));
    await events.frame("the press is taken", ({ type }) => type === "notification_acknowledged");
    await until("the chat's rule has run", async () => (await variable(first, "rested")) === 1);
    check(say("the hub goes on while the second machine stalls"), await command(hub), Array(COMMANDS).fill(202));
    check(say("nobody is told meanwhile"), reported(world, press), NOTHING);
    second.process.kill("SIGCONT");
    await answered;
    check(say("the webhook is answered when it goes on"), world.webhook.status, 202);
    await until("all is notified", () => Bun.deepEquals(reported(world, press), ALL)).catch(() => {});
    check(say("and so is all else"), reported(world, press), ALL);
  } finally {
    second.process.kill("SIGCONT");
  }
}

const NOTHING = { chat: false, calls: [] as string[], fired: [] as string[], answered: false, thanked: false };
const ALL = { chat: true, calls: ["/called", "/desk"], fired: ["leave", "rest"], answered: true, thanked: true };

/** What somebody outside has seen since the second machine stopped. */
function reported({ telegram, bot, events, calls, webhook }: World, press: number): typeof ALL {
  const fired = events.frames.flatMap((frame) => (frame.type === "rule_fired" ? String(frame.rule_id) : []));
  return {
    ...{ chat: bot.texts(BEN_CHAT).length > 0, calls: calls.toSorted() },
    fired: fired.filter((rule) => rule !== "ask").sort(),
    ...{ answered: webhook.status !== undefined, thanked: telegram.answers.has(press) },
  };
}

/** It waits in the outbox, or has left it. */
async function isWritten({ hub, calls }: World): Promise<boolean> {
  return (await hub.request("GET", "/notify/outbox")).text.includes('"desk"') || calls.includes("/desk");
}

/** Its standby asks the hub no more, and keeps its connections. */
async function stop({ process: { pid, kill } }: Side): Promise<void> {
  kill("SIGSTOP");
  await until("it stands still", () => readFileSync(`/proc/${pid}/stat`, "utf8").includes(") T "), { everyMs: 1 });
}

async function openLamp(hub: HubProcess): Promise<{ commands: () => number }> {
  const client = await hub.mqtt();
  let commands = 0;
  client.on("message", (_topic, payload) => {
    commands++;
    void client.publishAsync("hub/devices/lamp/state", payload, { qos: 1, retain: true });
  });
  await client.subscribeAsync("hub/devices/lamp/cmd", { qos: 1 });
  await client.publishAsync("hub/devices/lamp/state", '{"on":true}', { qos: 1, retain: true });
  await until("the lamp is there", async () => (await hub.request("GET", "/devices/lamp")).status === 200);
  return { commands: () => commands };
}

/** A message with a button, which somebody can press. */
async function asked(hub: HubProcess, telegram: FakeTelegram) {
  await hub.request("POST", hookOf("ask"), { token: null, body: {} });
  return until("Anna is asked", () => telegram.last(ANNA_CHAT));
}

/** The lamp is commanded again and again, each time when it has answered: what the second machine does not have to know. */
async function command(hub: HubProcess): Promise<number[]> {
  const answers: number[] = [];
  for (let count = 1; count <= COMMANDS; count++) {
    const answer = await hub.request("PATCH", "/devices/lamp/state", { body: { on: count % 2 === 1 } });
    answers.push(answer.status);
  }
  return answers;
}
