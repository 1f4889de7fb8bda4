// The compiled hub with one client that speaks for the devices, and receives what the hub sends them.
import type { HubPlace } from "../../support/hub-place.ts";
import { createHubPlace } from "../../support/hub-place.ts";
import type { HubProcess } from "../../support/hub-process.ts";
import { soon, until } from "../../support/wait.ts";

export interface House extends AsyncDisposable {
  hub: HubProcess;
  /** Resolves when the hub has taken it. */
  say(topic: string, payload: unknown, retain?: boolean): Promise<void>;
  /** Every message that the hub publishes below `zigbee2mqtt/`, until the answer is disposed. */
  listen(onMessage: (topic: string, payload: string) => void): Disposable;
}

const ACCOUNT = { username: "corpus", password: "a password for the corpus" };

/** `binary`: the hub's. */
export async function startHouse(binary: string): Promise<House> {
  await using stack = new AsyncDisposableStack();
  const place: HubPlace = stack.use(
    createHubPlace(
      {
        mqtt: "max_messages_per_second = 1000000\nmax_mb_per_second = 4096\nmax_deliveries_per_second = 10000000",
        toml: `[[mqtt.users]]
username = "${ACCOUNT.username}"
password = "${ACCOUNT.password}"
publish = ["zigbee2mqtt/#", "homeassistant/#"]
subscribe = ["zigbee2mqtt/#"]
[devices]
max_devices = 20000
max_mb = 1024
max_mb_per_account = 1024
[history]
enabled = false
`,
      },
      undefined,
      binary,
    ),
  );
  const hub = await place.start();
  const client = await hub.mqtt({ ...ACCOUNT });
  const listeners = new Set<(topic: string, payload: string) => void>();
  const own = new Set<string>();
  client.on("message", (topic, payload) => {
    if (own.has(topic)) return;
    for (const listener of listeners) listener(topic, payload.toString());
  });
  await client.subscribeAsync("zigbee2mqtt/#");
  const parts = stack.move();
  return {
    hub,
    async say(topic, payload, retain = false) {
      own.add(topic);
      const text = typeof payload === "string" ? payload : JSON.stringify(payload);
      await soon(`the hub takes ${topic}`, client.publishAsync(topic, text, { qos: 1, retain }));
    },
    listen(onMessage) {
      listeners.add(onMessage);
      return { [Symbol.dispose]: () => void listeners.delete(onMessage) };
    },
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
}

/** Does the work for all, a few at a time. */
export async function inParallel<T>(all: readonly T[], atOnce: number, work: (one: T) => Promise<void>): Promise<void> {
  const left = [...all];
  const worker = async (): Promise<void> => {
    for (let one = left.shift(); one !== undefined; one = left.shift()) await work(one);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}

/** The first message that `pick` makes something of; undefined where none comes. */
export async function firstMessage<T>(
  house: House,
  pick: (topic: string, payload: string) => T | undefined,
  { during, timeoutMs = 2000 }: { during: () => Promise<boolean>; timeoutMs?: number },
): Promise<T | undefined> {
  let found: T | undefined;
  using _listener = house.listen((topic, payload) => {
    found ??= pick(topic, payload);
  });
  if (!(await during())) return found;
  await until("a message", () => found !== undefined, { timeoutMs, everyMs: 1 }).catch(() => {});
  return found;
}
