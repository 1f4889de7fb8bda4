// A whole hub with the test's own Telegram, and a rule that reports a leak.
import { expect } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { JsonObject } from "../../../../src/kit/schema/json.ts";
import { createTemporaryFolder, type TemporaryFolder } from "../../../support/temporary-folder.ts";
import { startTestHub, type TestHub } from "../../../support/test-hub.ts";
import { createVirtualClock, type VirtualClock } from "../../../support/virtual-clock.ts";
import { until } from "../../../support/wait.ts";
import { type FakeTelegram, serveTelegram } from "./fake-telegram.ts";
import { chatChannel, hookedRule, hookOf } from "./rule-texts.ts";

export const MINUTE = 60_000;
const SMALL_STEP_MS = 500;
export const CONFIRM = "✅ Confirm";
export const ANNA = { id: 1, first_name: "Anna" };
export const BEN = { id: 2, first_name: "Ben" };

export const LEAK = hookedRule(
  "leak",
  `[[actions]]
type = "notify"
channels = ["anna", "ben"]
title = "Leak"
message = "Water in <b>{{trigger.body.room}}</b>"
priority = 2
tag = "leak"
escalate_after = "5 min"
actions = [{ id = "valve", label = "Close the valve" }]
[[actions]]
type = "wait_for_trigger"
triggers = [{ type = "notification_acknowledged", tag = "leak" }]
[[actions]]
type = "fire_event"
event_type = "siren_off"
fields = { siren = "off" }
`,
);

export interface House extends AsyncDisposable {
  hub: TestHub;
  clock: VirtualClock;
  telegram: FakeTelegram;
  restart(): Promise<void>;
  stop(): Promise<void>;
  start(admin: TestHub["admin"]): Promise<void>;
  /** Messages in the outbox. */
  waiting(): Promise<number>;
  /** Lets time pass in small steps, in each of which what waits is sent: it goes over real sockets, which the clock must not overtake. */
  pass(ms: number): Promise<void>;
  logged(): string;
  leak(room?: string): Promise<void>;
  /** Puts a file into the home. */
  put(path: string, content: Uint8Array): void;
  notices(): Promise<JsonObject[]>;
  events(type: string): Promise<JsonObject[]>;
}

export async function startHouse(rule = LEAK, more = ""): Promise<House> {
  const stack = new AsyncDisposableStack();
  const folder: TemporaryFolder = stack.use(createTemporaryFolder());
  const telegram = stack.use(serveTelegram());
  const clock = createVirtualClock();
  const toml = `[notify]\nexpire_hours = 1\npublic_url = "http://hub.test"\n${chatChannel(telegram, "anna", 7)}${chatChannel(telegram, "ben", 8)}${more}`;
  const start = (admin?: TestHub["admin"]) => startTestHub({ toml, clock, fetch, folder, ...(admin && { admin }) });
  const house = {
    ...{ clock, telegram, hub: await start() },
    async restart() {
      const { admin } = house.hub;
      await ended();
      house.hub = await start(admin);
    },
    stop: ended,
    async start(admin: TestHub["admin"]) {
      house.hub = await start(admin);
    },
    async waiting() {
      const answer = await house.hub.request("GET", "/notify/outbox", { token: house.hub.adminToken });
      return ((await answer.json()) as unknown[]).length;
    },
    async pass(ms: number) {
      for (let left = ms; left > 0; left -= SMALL_STEP_MS) {
        await until("what waits is sent", async () => (await house.waiting()) === 0);
        await clock.advance(Math.min(left, SMALL_STEP_MS));
      }
      await until("what waits is sent", async () => (await house.waiting()) === 0);
    },
    logged: () => house.hub.platform.stdout.text,
    async leak(room = "the kitchen") {
      const answer = await house.hub.request("POST", hookOf("leak"), { body: { room } });
      expect(answer.status).toBe(202);
    },
    put(path: string, content: Uint8Array) {
      const whole = join(folder.path, path);
      mkdirSync(dirname(whole), { recursive: true });
      writeFileSync(whole, content);
    },
    async notices() {
      const answer = await house.hub.request("GET", "/notify/notices", { token: house.hub.adminToken });
      return (await answer.json()) as JsonObject[];
    },
    async events(type: string) {
      const answer = await house.hub.request("GET", `/events?type=${type}&limit=50`, { token: house.hub.adminToken });
      return (await answer.json()) as JsonObject[];
    },
    async [Symbol.asyncDispose]() {
      await ended();
      await stack.disposeAsync();
    },
  };
  async function ended(): Promise<void> {
    const done = house.hub[Symbol.asyncDispose]();
    await clock.advance(10_000);
    await done;
  }
  const saved = await house.hub.request("POST", "/rules", { token: house.hub.adminToken, body: Bun.TOML.parse(rule) });
  expect([saved.status, await saved.text()]).toEqual([201, expect.anything()]);
  return house;
}
