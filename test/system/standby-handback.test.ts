// What a hub had recorded, and its standby had not copied yet, when it died: once it is back as the standby it sends it, and the new hub
// has everything, in its history and where that is exported to.
// Over 10 s: the machines look at each other every two seconds, through two changes of their roles.
import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { startLineServer } from "../reach/export/line-server.ts";
import { hookChannel, hookedRule, hookOf } from "../reach/notify/notices/rule-texts.ts";
import { serveHttp } from "../reach/notify/rig.ts";
import { createTwoMachines, type Side } from "../support/two-machines.ts";
import { until } from "../support/wait.ts";

const COPIED = 20;
const ALL = 60;
const TOML = (url: string) => `[[history.export]]
name = "tsdb"
kind = "line_protocol"
url = "${url}"
interval_secs = 1
`;

/** Each is on the hub's disk when it is acknowledged. */
async function report({ process: hub }: Side, from: number, to: number): Promise<void> {
  const client = await hub.mqtt();
  for (let n = from; n < to; n++)
    await client.publishAsync("hub/devices/meter/state", JSON.stringify({ n }), { qos: 1 });
  await client.endAsync();
}

interface Recorded {
  timestamp: string;
  value: number;
}

async function recorded({ process: hub }: Side): Promise<Recorded[]> {
  const answer = await hub.request("GET", "/devices/meter/history?attribute=n&limit=1000");
  return answer.status === 200 ? answer.json<Recorded[]>() : [];
}
const valuesOf = async (side: Side): Promise<number[]> => (await recorded(side)).map(({ value }) => value);
const numbers = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, n) => from + n);

/** Waits until the standby has what the hub has recorded. */
async function copied(second: Side, first: Side): Promise<void> {
  const last = Date.parse((await recorded(first)).at(-1)?.timestamp ?? "");
  await until("the standby has copied what was recorded", async () => {
    const { copy } = (await second.look()) ?? {};
    return Date.parse(copy?.history_through ?? "") >= last;
  });
}

const RULE = hookedRule(
  "say",
  "",
  'actions = [{ type = "notify", channel = "one", message = "{{trigger.body.text}}" }]',
);

/** It waits on the hub's disk when this resolves. */
async function say({ process: hub }: Side, text: string): Promise<void> {
  const waiting = async (): Promise<number> => (await hub.get<unknown[]>("/notify/outbox")).length;
  const before = await waiting();
  // Who calls in vain again and again is taken for somebody who guesses.
  await until("the rule is there", async () => (await hub.request("GET", "/rules/say")).status === 200);
  expect((await hub.request("POST", hookOf("say"), { token: null, body: { text } })).status).toBe(202);
  await until("the message waits", async () => (await waiting()) > before);
}

test("messages that only the dead hub had are sent when it comes back, each once, and those of its copy not again", async () => {
  let isAway = true;
  const came: string[] = [];
  using service = serveHttp(async ({ json }) => {
    if (isAway) return { status: 503, json: {} };
    came.push(String((json as { message: string }).message).split("\n")[0] ?? "");
    return { json: {} };
  });
  await using house = await createTwoMachines({ hub: { toml: hookChannel(service, "one") }, options: ["--manual"] });
  const { first, second } = house;
  await second.isWhole();
  first.place.put("rules/say.toml", RULE);
  await say(first, "copied");
  await second.hasCopied("SELECT 1 FROM outbox WHERE message = 'copied'");
  second.process.kill("SIGSTOP");
  await say(first, "left");
  first.process.kill("SIGKILL");
  await first.process.exited;
  second.process.kill("SIGCONT");
  isAway = false;
  expect(await second.standby("promote", "--force")).toMatchObject({ code: 0 });
  await second.isHub();
  await until("what was copied is sent", () => came.includes("copied"), { timeoutMs: 60_000 });
  expect(came).toEqual(["copied"]);
  await first.start();
  await first.isWhole();
  await until("what was left is sent", () => came.includes("left"), { timeoutMs: 60_000 });
  await first.process.said("what only this machine had as the hub was sent to the one that took over");
  expect(came).toEqual(["copied", "left"]);
}, 180_000);

test("what only the dead hub had is in the new one's history and exports when it comes back, each sample once", async () => {
  using server = startLineServer();
  server.answer = () => new Response("away", { status: 503 });
  await using house = await createTwoMachines({ hub: { toml: TOML(server.url) }, options: ["--manual"] });
  const { first, second } = house;
  await report(first, 0, COPIED);
  await until("they are recorded", async () => (await recorded(first)).length === COPIED);
  await second.isWhole();
  await copied(second, first);
  second.process.kill("SIGSTOP");
  await report(first, COPIED, ALL);
  await until("all are recorded", async () => (await recorded(first)).length === ALL);
  first.process.kill("SIGKILL");
  await first.process.exited;
  second.process.kill("SIGCONT");
  server.answer = () => undefined;

  expect(await second.standby("promote", "--force")).toMatchObject({ code: 0 });
  await second.isHub();
  await report(second, ALL, ALL + 1);
  await until("it records", async () => (await valuesOf(second)).includes(ALL));
  expect(await valuesOf(second)).not.toContain(ALL - 1);

  await first.start();
  await first.isWhole();
  await until("nothing is missing", async () => (await recorded(second)).length > ALL, { timeoutMs: 60_000 });
  expect(await valuesOf(second)).toEqual(numbers(0, ALL + 1));
  // Of two values within a millisecond the last one counts there.
  const points = [...new Map((await recorded(second)).map(({ timestamp, value }) => [Date.parse(timestamp), value]))];
  const isExported = ([at, n]: [number, number]): boolean =>
    server.lines.some((line) => line.includes(` n=${n} `) && line.endsWith(` ${at}`));
  await until("the export has all", () => points.every(isExported), { timeoutMs: 60_000 });
  await first.process.said("what only this machine had as the hub was sent to the one that took over");
  await second.process.said("the machine that was the hub before has sent what was missing");
  const notes = [first.place.at("data/before-standby/leftovers.json"), second.place.at("data/standby-wanted.json")];
  for (const path of notes) await until(`${path} is gone`, () => !existsSync(path));

  // And both have it after the way back.
  await first.isWhole();
  expect(await first.standby("promote")).toMatchObject({ code: 0 });
  await first.isHub();
  await until("the first has all", async () => (await recorded(first)).length > ALL);
  expect(await valuesOf(first)).toEqual(numbers(0, ALL + 1));
}, 180_000);
