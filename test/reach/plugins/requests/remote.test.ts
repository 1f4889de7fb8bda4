// Calls of plugins' actions as time passes: whatever a plugin does or does not do, nothing is waited for without end.
import { expect, test } from "bun:test";
import type { JsonObject } from "../../../../src/kit/schema/json.ts";
import type { HubEvent } from "../../../../src/server/events/catalog.ts";
import { createVirtualClock, type VirtualClock } from "../../../support/virtual-clock.ts";
import { createRig, type Rig } from "../rig.ts";

const HOUR_MS = 3_600_000;
const ACTIONS: JsonObject[] = [
  { id: "pair", stream: true, cancelable: true, concurrency: "multi" },
  { id: "heal", stream: true, timeout_ms: 2 * HOUR_MS },
  { id: "paint", stream: true, concurrency: "per_item", item_key: "wall" },
  { id: "scan", timeout_ms: 10 * HOUR_MS },
];
const may = (): boolean => true;

interface House extends AsyncDisposable {
  rig: Rig;
  clock: VirtualClock;
  asked: JsonObject[];
  cleared: string[];
  events(): HubEvent[];
  /** Calls an action, which the plugin accepts. */
  begin(action: string, params?: JsonObject): Promise<string>;
}

function openHouse(): House {
  const clock = createVirtualClock();
  const asked: JsonObject[] = [];
  const cleared: string[] = [];
  const channel = {
    async send(_: string, command: JsonObject) {
      asked.push(command);
    },
    async clearEvents(pluginId: string, request: string) {
      cleared.push(`${pluginId} ${request}`);
    },
  };
  const rig = createRig([], {}, { clock, channel });
  rig.plugins.markSeen("far");
  rig.plugins.capabilities("far", { spec: "1", actions: ACTIONS });
  return {
    ...{ rig, clock, asked, cleared },
    events: () => rig.events.filter(({ type }) => type === "plugin_action"),
    async begin(action, params = {}) {
      const answer = rig.plugins.act("far", { action, params, may });
      rig.plugins.response("far", { request_id: asked.at(-1)?.request_id ?? "", status: "accepted" });
      return (await answer).requestId;
    },
    [Symbol.asyncDispose]: () => rig[Symbol.asyncDispose](),
  };
}

test("an action without an end is forgotten after an hour, reported, cancelled and cleared", async () => {
  await using house = openHouse();
  const request = await house.begin("pair");
  house.rig.plugins.report("far", request, { stage: "progress", pct: 1 });
  await house.clock.advance(HOUR_MS - 1);
  expect(house.events()).toHaveLength(1);
  await house.clock.advance(1);
  expect(house.events()[1]).toMatchObject({
    stage: "error",
    request_id: request,
    error: expect.stringContaining("in time"),
  });
  expect(house.asked.at(-1)).toMatchObject({ action: "cancel", target_request_id: request });
  await house.clock.advance(10_000);
  expect(house.cleared).toEqual([`far ${request}`]);
  house.rig.plugins.report("far", request, { stage: "complete" });
  expect(house.events()).toHaveLength(2);
  expect(house.clock.pending()).toEqual(["plugin usage"]);
});

test("an action that declares its time has it, and a little more", async () => {
  await using house = openHouse();
  await house.begin("heal");
  await house.clock.advance(2 * HOUR_MS);
  expect(house.events()).toEqual([]);
  await house.clock.advance(5000);
  expect(house.events()).toMatchObject([{ action: "heal", stage: "error" }]);
  // It cannot be cancelled.
  expect(house.asked.map(({ action }) => action)).toEqual(["heal"]);
});

test("no caller waits longer than a minute, whatever an action declares", async () => {
  await using house = openHouse();
  const answer = house.rig.plugins.act("far", { action: "scan", params: {}, may });
  const refused = answer.catch((error: unknown) => String(error));
  await house.clock.advance(60_000);
  expect(await refused).toContain('did not answer "scan" within 60 s');
});

test("one for each item at a time, and not more than sixteen at all", async () => {
  await using house = openHouse();
  const first = await house.begin("paint", { wall: "north" });
  const again = await house.rig.plugins.act("far", { action: "paint", params: { wall: "north" }, may });
  expect(again).toMatchObject({ status: "busy", activeRequestId: first });
  await house.begin("paint", { wall: "south" });
  for (let n = 0; n < 14; n++) await house.begin("pair");
  await expect(house.begin("pair")).rejects.toMatchObject({ code: "rate_limited" });
  house.rig.plugins.report("far", first, { stage: "complete" });
  await house.begin("paint", { wall: "north" });
});

test("reports of one plugin do not reach the requests of another", async () => {
  await using house = openHouse();
  const request = await house.begin("pair");
  house.rig.plugins.markSeen("other");
  house.rig.plugins.report("other", request, { stage: "complete" });
  const asking = house.rig.plugins.respond("far", { requestId: request, response: 1, may });
  await expect(asking).rejects.toMatchObject({ code: "conflict" });
  const cancelling = house.rig.plugins.cancel("other", { requestId: request, may });
  await expect(cancelling).rejects.toMatchObject({ code: "not_found" });
  const answer = house.rig.plugins.cancel("far", { requestId: request, may });
  house.rig.plugins.response("other", { request_id: house.asked.at(-1)?.request_id ?? "", status: "ok" });
  house.rig.plugins.response("far", {
    request_id: house.asked.at(-1)?.request_id ?? "",
    status: "error",
    error: "mine",
  });
  expect(await answer).toMatchObject({ status: "error", error: "mine" });
  expect(house.events()).toMatchObject([{ stage: "error", error: "mine" }]);
});

test("when a plugin goes offline, all that waits for it ends at once", async () => {
  await using house = openHouse();
  const running = await house.begin("pair");
  const waiting = house.rig.plugins.act("far", { action: "scan", params: {}, may });
  const refused = waiting.catch((error: unknown) => String(error));
  house.rig.plugins.status("far", "offline");
  expect(await refused).toContain("ended before it answered");
  expect(house.events()).toMatchObject([{ action: "pair", request_id: running, stage: "error" }]);
  await expect(house.rig.plugins.act("far", { action: "pair", params: {}, may })).rejects.toMatchObject({
    code: "conflict",
  });
});
