// Strangers who send requests back to back, without waiting for answers: they are refused, and the house goes on meanwhile.
// Over 10 s: a hub of its own for each flood, and alerts are looked for every five seconds.
import { expect, test } from "bun:test";
import { createHubPlace } from "../support/hub-place.ts";
import type { HubProcess } from "../support/hub-process.ts";
import { openNotifySocket } from "../support/notify-socket.ts";
import { openRawSocket, type RawSocket } from "../support/raw-socket.ts";
import { until } from "../support/wait.ts";

const RULE = `id = "5f0f4a2e-8d6f-4a53-9a2a-3f1d0f9f1d11"
name = "Follow"
enabled = true
trigger = { type = "device_state_changed", device_id = "door", attribute = "count" }
actions = [{ type = "set_device_state", device_id = "lamp", state = { on = true } }]
`;
const CONNECTIONS = 8;
const BATCH = 400;
const EVERY_MS = 20;

interface Flood extends AsyncDisposable {
  /** How many connections ended with a refusal that says so. */
  readonly refused: number;
}

/** Sends them on several connections, each of which is opened again when the hub closes it. */
function flood(port: number, request: string): Flood {
  const batch = request.repeat(BATCH);
  let refused = 0;
  let isOver = false;

  async function one(): Promise<void> {
    while (!isOver) {
      using socket = await openRawSocket(port);
      while (!isOver && !socket.isClosed) {
        socket.write(batch);
        await Bun.sleep(EVERY_MS);
      }
      if (socket.isClosed && endsRefused(socket)) refused++;
    }
  }
  const all = Promise.all(Array.from({ length: CONNECTIONS }, one));
  return {
    get refused() {
      return refused;
    },
    async [Symbol.asyncDispose]() {
      isOver = true;
      await all;
    },
  };
}

/** Its last answer is 429 and says that nothing follows. */
function endsRefused({ text }: RawSocket): boolean {
  const last = text.slice(text.lastIndexOf("HTTP/1.1 "));
  return (
    last.startsWith("HTTP/1.1 429 ") && /^connection: close\r$/im.test(last) && /^retry-after: \d+\r$/im.test(last)
  );
}

const get = (path: string, more = ""): string => `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n${more}\r\n`;
const health = (hub: HubProcess) => hub.request("GET", "/health", { token: null });

const LOGIN = "POST /api/v1/auth/login HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 2\r\n\r\n{}";
const UPGRADE = "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n";

test.each([
  ["the page", get("/"), ""],
  ["/health", get("/api/v1/health"), ""],
  ["what is not there", get("/api/v1/nothing"), ""],
  ["what needs a token", get("/api/v1/devices", "Authorization: Bearer wrong\r\n"), ""],
  ["the stream", get("/api/v1/events/stream", UPGRADE), ""],
  // Answered later than they come, so Bun resets the connection after one: only their address can be refused.
  ["logins", LOGIN, "max_anonymous_requests_per_second = 5"],
])("the house goes on while strangers flood %s", async (_, request, server) => {
  await using place = createHubPlace({ server });
  place.put("rules/follow.toml", RULE);
  using systemd = openNotifySocket(`${place.home}-notify`);
  await using hub = await place.start({ env: { NOTIFY_SOCKET: systemd.name, WATCHDOG_USEC: "1000000" } });
  const client = await hub.mqtt();
  let commands = 0;
  client.on("message", () => void commands++);
  await client.subscribeAsync("hub/devices/lamp/cmd");
  for (const device of ["lamp", "door"])
    await client.publishAsync(`hub/devices/${device}/state`, '{"count":0}', { qos: 1 });
  await until("both are known", async () => (await hub.get<unknown[]>("/devices")).length >= 2);
  {
    await using strangers = flood(hub.port, request);
    await until("strangers are refused", () => strangers.refused >= CONNECTIONS);
    const pings = systemd.count("WATCHDOG=1");
    for (let count = 1; count <= 5; count++) {
      const before = commands;
      await client.publishAsync("hub/devices/door/state", JSON.stringify({ count }), { qos: 1 });
      await until("the rule commands the lamp", () => commands > before);
      expect((await health(hub)).status).toBe(200);
      expect((await hub.request("GET", "/devices/lamp")).status).toBe(200);
    }
    await systemd.received("WATCHDOG=1", pings + 1);
    await until("it is an alert", async () =>
      (await health(hub)).json<{ degraded: string[] }>().degraded.includes("flood"),
    );
  }
  expect(await hub.get("/system/alerts")).toContainEqual(
    expect.objectContaining({ kind: "flood", values: expect.objectContaining({ account: "127.0.0.1" }) }),
  );
});
