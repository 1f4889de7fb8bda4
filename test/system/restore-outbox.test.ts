// Moving house while a notification waits: it is sent once, by the hub it waited in.
import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { downloadBackup, readZip } from "../support/archives.ts";
import { createHubPlace } from "../support/hub-place.ts";
import type { HubProcess } from "../support/hub-process.ts";
import { until } from "../support/wait.ts";

const RULE = `(
  id: "5f0c1f8e-0000-4000-8000-000000000001",
  name: "Alarm",
  trigger: (type: "webhook_received", path: "alarm", secret: "a-secret-of-the-test"),
  conditions: [],
  actions: [(type: "notify", channel: "chat", message: "fire")],
)
`;

/** A bot server that is down until the test starts it, and counts what it received. */
function serveBots(): Disposable & { url: string; up: boolean; taken: number } {
  const bots = { url: "", up: false, taken: 0, [Symbol.dispose]: () => void server.stop(true) };
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch() {
      if (!bots.up) return Response.json({ ok: false, description: "down" }, { status: 503 });
      bots.taken++;
      return Response.json({ ok: true, result: { message_id: bots.taken } });
    },
  });
  bots.url = `http://127.0.0.1:${server.port}`;
  return bots;
}

async function alarm(hub: HubProcess): Promise<void> {
  const answer = await hub.request("POST", "/webhooks/alarm?secret=a-secret-of-the-test", { token: null, body: {} });
  expect(answer.status).toBeLessThan(300);
}
const waiting = async (hub: HubProcess, token: string) =>
  (await hub.request("GET", "/notify/outbox", { token })).json<unknown[]>().length;

test("restored or placed by hand, a backup sends nothing that waited in it", async () => {
  using bots = serveBots();
  const toml = `[[notify.channels]]
name = "chat"
type = "messaging_bot"
bot_token = "12345:a-token-of-the-test"
chat_id = "7"
api_url = "${bots.url}"
`;
  await using a = createHubPlace({ toml });
  a.put("rules/alarm.ron", RULE);
  const from = await a.start();
  const token = await from.adminToken();
  await alarm(from);
  await until("it waits", async () => (await waiting(from, token)) === 1);
  const zip = join(a.cwd, "..", "house.zip");
  await downloadBackup(from, zip);
  await from.end();
  bots.up = true;

  await using b = createHubPlace(null);
  const ran = await b.run(["restore", zip]);
  expect(ran).toMatchObject({
    code: 0,
    stderr: expect.stringContaining("the notifications queued in it (1) are not sent"),
  });
  const restored = await b.start();
  expect(await waiting(restored, token)).toBe(0);
  // One after the other in a channel: an older one would have come first.
  await alarm(restored);
  await until("the new one is sent", () => bots.taken === 1);
  await restored.end();

  await using c = createHubPlace({ toml });
  await c.layOut();
  const files = readZip(zip);
  for (const name of ["data/state.redb", "data/history.db", "config/hub.toml", "rules/alarm.ron"])
    writeFileSync(c.at(name), Buffer.from(files[name] ?? "", "latin1"));
  const placed = await c.start();
  expect(placed.output).toContain("the notifications queued in the backup are not sent");
  expect(await waiting(placed, token)).toBe(0);
  await alarm(placed);
  await until("the new one is sent", () => bots.taken === 2);
  await placed.end();

  const again = await a.start();
  await until("its own is sent", () => bots.taken === 3);
  await until("it no longer waits", async () => (await waiting(again, token)) === 0);
});
