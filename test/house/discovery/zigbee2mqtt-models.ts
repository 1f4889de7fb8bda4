// Real models as a bridge announces them, by name: the exposes of zigbee2mqtt-models.jsonl, as zigbee2mqtt 2.14.1 sends them.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createRig } from "./rig.ts";
import { announce, command } from "./zigbee2mqtt-house.ts";

interface Announced {
  model: string;
  vendor: string;
  exposes: Record<string, unknown>[];
}

const IEEE = "0x00158d00000000aa";
const TOPIC = "zigbee2mqtt/thing";

const models = new Map(
  readFileSync(join(import.meta.dir, "zigbee2mqtt-models.jsonl"), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Announced)
    .map((one) => [one.model, one]),
);

export interface Property {
  type: string;
  class?: string;
  inverted?: boolean;
  part?: string;
  word?: string;
  of?: string;
  derived?: boolean;
  readOnly?: boolean;
  enum?: string[];
  minimum?: number;
  maximum?: number;
}

/** A house with this one thing. */
export async function houseWith(model: string) {
  const { exposes, vendor } = exposesOf(model);
  return houseOf({ model, vendor, exposes });
}

export function exposesOf(model: string): Announced {
  const found = models.get(model);
  if (!found) throw new Error(`zigbee2mqtt-models.jsonl has no ${model}`);
  return found;
}

export async function houseOf(definition: object) {
  const rig = createRig();
  await announce(rig, [{ ieee_address: IEEE, type: "Router", friendly_name: "thing", definition }]);
  const device = () => rig.registry.get(IEEE);
  const properties = () =>
    (device().details.schema?.properties ?? {}) as unknown as Record<string, Property | undefined>;
  return {
    device,
    rig,
    /** What is known once it has said this. */
    says(state: object) {
      rig.publish(TOPIC, state);
      return device().attributes;
    },
    /** The payloads that reach it. */
    async commandsFor(wanted: object): Promise<unknown[]> {
      const sent = (await command(rig, IEEE, wanted)) as { topic: string; payload: unknown }[];
      return sent.map(({ topic, payload }) => (topic === `${TOPIC}/set` ? payload : topic));
    },
    property: (name: string) => properties()[name],
    words: () => Object.keys(properties()),
    [Symbol.dispose]: () => rig[Symbol.dispose](),
  };
}
