// The same wish to both, and what each of them publishes for it.
import { isDeepStrictEqual } from "node:util";
import { until } from "../../support/wait.ts";
import { firstMessage, inParallel } from "../corpus/house.ts";
import { isRecord, setIn } from "../corpus/referee.ts";
import type { Announced, Both } from "./batches.ts";
import { type Entity, type HubDevice, keyOf } from "./entities.ts";
import { isNear } from "./kinds/finding.ts";
import { type Wish, wishesOf } from "./wishes.ts";

const AT_ONCE = 8;
const NOTHING_MS = 2000;
/** For all wishes to one model. */
const MODEL_MS = 120_000;
const MARK = "zigbee2mqtt/referee/told";
// Of 255 levels or of whole mired: the two round a different number of times.
const ROUNDED = /^(brightness|color_temp)/;
const XY = /^[xy]$/;

export async function compareCommands(both: Both, devices: readonly Announced[]): Promise<void> {
  const said = await both.ha.dump();
  const known = new Map((await both.house.hub.get<HubDevice[]>("/devices")).map((one) => [one.id, one]));
  await inParallel(devices, AT_ONCE, async ({ id, entities }) => {
    const hub = known.get(id);
    if (hub === undefined) return;
    const begun = performance.now();
    for (const entity of entities) {
      if (performance.now() - begun > MODEL_MS) {
        const late = { what: "commands in time", homeAssistant: `${MODEL_MS} ms`, hub: "more" };
        return both.report(entity, late);
      }
      const says = said.get(keyOf(entity));
      if (says === undefined || says.state === "unavailable") continue;
      for (const one of wishesOf({ entity, says, hub })) await compareWish(both, { entity, hub }, one);
    }
  });
}

async function compareWish(both: Both, { entity, hub }: { entity: Entity; hub: HubDevice }, wish: Wish): Promise<void> {
  const { house, ha, report } = both;
  const { model, component, uniqueId } = entity;
  const { service, data, wanted } = wish;
  const pick = (topic: string, payload: string) => setIn(model.name, topic, payload);
  const there = await firstMessage(house, pick, {
    during: async () => (await ha.call({ component, uniqueId, service, data })) === undefined,
    timeoutMs: NOTHING_MS,
  });
  // What Home Assistant refuses, or has nobody to command, is no wish.
  both.count(there === undefined ? "unreported" : "commands");
  if (there === undefined) return;
  const homeAssistant = `${service} ${JSON.stringify(data)} → ${JSON.stringify(there)}`;
  const what = `command ${wish.what}`;
  if (wanted === undefined)
    return report(entity, { what: `no ${what}`, homeAssistant, hub: Object.keys(hub.attributes).join(" ") });
  const { here, refused } = await commanded(both, hub, { pick, wanted });
  if (here !== undefined && isAlike(here, there, { wish, name: "" })) return;
  const published = here === undefined ? refused || "nothing" : JSON.stringify(here);
  report(entity, { what, homeAssistant, hub: `${JSON.stringify(wanted)} → ${published}` });
}

type Pick = (topic: string, payload: string) => Record<string, unknown> | undefined;
let marks = 0;

/** All that the hub publishes for a command: some devices need two messages. */
async function commanded({ house, marker }: Both, { id }: HubDevice, { pick, wanted }: { pick: Pick; wanted: object }) {
  const here: Record<string, unknown> = {};
  const mark = String(++marks);
  let isAtMark = false;
  using _listener = house.listen((topic, payload) => {
    if (topic === MARK && payload === mark) isAtMark = true;
    Object.assign(here, pick(topic, payload));
  });
  const answer = await house.hub.request("PATCH", `/devices/${id}/state?force=true&wait=false`, { body: wanted });
  if (answer.status !== 202) return { here: undefined, refused: `${answer.status} ${answer.text}` };
  // Whatever was published before comes before.
  await marker.publishAsync(MARK, mark, { qos: 1 });
  await until("the mark comes", () => isAtMark, { everyMs: 1 });
  await until("its messages", () => Object.keys(here).length > 0, { timeoutMs: NOTHING_MS, everyMs: 1 }).catch(
    () => {},
  );
  return { here: Object.keys(here).length > 0 ? here : undefined, refused: "" };
}

function isAlike(one: unknown, other: unknown, by: { wish: Wish; name: string }): boolean {
  const { wish, name } = by;
  if (isRecord(one) && isRecord(other)) {
    // Zigbee2MQTT takes a colour as red, green and blue, too: it is the one that Home Assistant was asked for.
    if ("r" in one && !("r" in other)) return isDeepStrictEqual([one.r, one.g, one.b], wish.data.rgb_color);
    const names = new Set([...Object.keys(one), ...Object.keys(other)]);
    return [...names].every((key) => isAlike(one[key], other[key], { wish, name: key }));
  }
  // A kelvin is many mired where there are few.
  if (name.startsWith("color_temp") && isNear(1e6 / Number(one), 1e6 / Number(other), 1)) return true;
  const within = wish.within?.[name] ?? (ROUNDED.test(name) ? 1 : XY.test(name) ? 0.005 : 1e-6);
  if (typeof one === "number" && typeof other === "number") return isNear(one, other, within);
  // What comes alone on a topic of its own is read as JSON: "3.3" becomes 3.3 there.
  if (typeof one === "string" && (typeof other === "number" || other === null)) return one === JSON.stringify(other);
  return isDeepStrictEqual(one, other);
}
