// What the compiled hub does first after it was killed: it says so, once, and tries what waits.
import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { createHubPlace } from "../support/hub-place.ts";
import type { HubProcess } from "../support/hub-process.ts";
import { until } from "../support/wait.ts";

/** A bot server that is down until it is said otherwise. */
function serveBots() {
  const taken: string[] = [];
  const bots = { url: "", up: false, taken, [Symbol.dispose]: () => void server.stop(true) };
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      if (!bots.up) return Response.json({ ok: false, description: "down" }, { status: 503 });
      taken.push(await request.text());
      return Response.json({ ok: true, result: { message_id: taken.length } });
    },
  });
  bots.url = `http://127.0.0.1:${server.port}`;
  return bots;
}

const degraded = async (hub: HubProcess): Promise<string[]> =>
  (await hub.request("GET", "/health", { token: null })).json<{ degraded: string[] }>().degraded;
const BELL = {
  ...{ id: "bell", name: "Bell", trigger: { type: "manual_trigger" } },
  actions: [{ type: "notify", channel: "chat", message: "somebody rang" }],
};

test("a hub that was killed says so, once, and what waited is tried soon after the start", async () => {
  using bots = serveBots();
  await using place = createHubPlace({
    toml: `[[notify.channels]]
name = "chat"
type = "messaging_bot"
bot_token = "12345:a-token-of-the-test"
chat_id = "7"
api_url = "${bots.url}"
[alerts]
channel = "chat"
`,
  });
  const first = await place.start();
  expect(await degraded(first)).not.toContain("unclean_stop");
  await first.request("POST", "/rules", { body: BELL });
  expect((await first.request("POST", "/rules/bell/run", { body: {} })).status).toBe(200);
  const tried = async () => (await first.get<{ tries: number }[]>("/notify/outbox"))[0]?.tries;
  await until("it was tried in vain", tried);
  first.kill("SIGKILL");
  await first.exited;

  bots.up = true;
  const second = await place.start();
  await until("the kill is seen", async () => (await degraded(second)).includes("unclean_stop"));
  const came = (text: string) => bots.taken.find((one) => one.includes(text));
  await until("what waited has come", () => came("somebody rang"));
  await until("the kill is reported", () => came("a power cut, a crash or a kill"));
  const alerts = await second.get<{ kind: string; until: string | null }[]>("/system/alerts");
  expect(alerts.filter(({ kind }) => kind === "unclean_stop")).toHaveLength(1);
  await second.end();

  const third = await place.start();
  expect(await degraded(third)).not.toContain("unclean_stop");
  expect(bots.taken).toHaveLength(2);
});

test("what a hub that was killed was writing is gone after the next start", async () => {
  await using place = createHubPlace();
  await place.layOut();
  const names = ["data/last-backup.json", "data/.hub-probe", "config/hub.toml", "rules/a.ron", "data/restore.journal"];
  for (const name of names) place.put(`${name}.4194309.tmp`, "half");
  await using hub = await place.start();
  const left = () => names.filter((name) => existsSync(place.at(`${name}.4194309.tmp`)));
  await until("nothing is left", () => left().length === 0).catch(() => {
    throw new Error(`${left()} lie there still:\n${hub.output}`);
  });
});
