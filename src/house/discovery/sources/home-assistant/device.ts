// One device of Home Assistant's discovery: all its entities together, as attributes of one thing.
import { messageOf } from "../../../../kit/schema/errors.ts";
import type { Json, JsonObject } from "../../../../kit/schema/json.ts";
import type { DescribedDevice, PictureTopic } from "../../described.ts";
import { hardwareOf } from "../../hardware.ts";
import { pictureAttributes } from "../../pictures.ts";
import type { Engine } from "../../templates/template.ts";
import { SAME } from "../../words.ts";
import { type Availability, availabilityOf, availabilityOfAll, availabilityText } from "./availability.ts";
import { withPower } from "./components/climate-mode.ts";
import type { Happening } from "./components/events.ts";
import { COMPONENTS, HAPPENINGS, PICTURES, RICHEST, SINGLE } from "./components/index.ts";
import { type DescribedAttribute, Options } from "./entity.ts";
import { type Extras, extrasOf } from "./extras.ts";
import type { DeviceMemory } from "./memory.ts";
import { idsOf, type Named, named } from "./naming/naming.ts";
import { isUnsaid, readable } from "./naming/readable.ts";
import type { FoundAttribute } from "./naming/shared-names.ts";
import { type Entity, placeOf } from "./payload.ts";
import { runtimeOf } from "./runtime.ts";

export interface EntityProblem {
  /** See `Entity`. */
  key: string;
  problem: string;
}

export interface DeviceOfEntities extends DescribedDevice {
  /** Entities that are left out, and why. */
  problems: readonly EntityProblem[];
}

export interface DescribeOptions {
  /** The `device` block that the entities share; undefined for one entity by itself. */
  block: JsonObject | undefined;
  identities: readonly string[];
  engine: Engine;
  memory: DeviceMemory;
  /** The device has sent attributes that were not known: it is to be described again. */
  onExtras: () => void;
  /** See `RuntimeOptions`. */
  onCostly: () => void;
}

const MAX_ENTITIES = 500;

interface Found {
  attributes: FoundAttribute[];
  happenings: Happening[];
  extras: Extras[];
  availabilities: Map<string, Availability>;
  pictures: PictureTopic[];
}

export function describeEntities(
  entities: readonly Entity[],
  { block, identities, engine, memory, ...on }: DescribeOptions,
): DeviceOfEntities {
  const { found, problems } = findIn(entities, { engine, memory });
  memory.availabilities = found.availabilities;
  const { happenings, extras } = found;
  const availability = availabilityOfAll([...found.availabilities.values()]);
  // What a thermostat does is not called as its presses are.
  const renames: Record<string, string> = happenings.length > 0 ? { action: "climate_action" } : {};
  const all = (one: Found): FoundAttribute[] => withSiren(withPower(one.attributes));
  const device = described(block, entities, identities);
  const runtime = runtimeOf(
    named(readable(all(found), [device.name ?? "", ...identities]), { richest: RICHEST, renames }),
    {
      happenings,
      extras,
      availability,
      memory,
      engine,
      ...on,
    },
  );
  const { pictures } = found;
  return {
    ...device,
    // Hardly ever asked for: found again then, in place of keeping all twice.
    formerNames: () => namesById(named(all(findIn(entities, { engine, memory }).found), { richest: RICHEST, renames })),
    ...runtime,
    attributes: [...runtime.attributes, ...pictureAttributes(pictures)],
    topics: [...new Set([...runtime.topics, ...pictures.map(({ topic }) => topic)])],
    ...(pictures.length > 0 && { pictures }),
    problems,
  };
}

function findIn(
  entities: readonly Entity[],
  { engine, memory }: Pick<DescribeOptions, "engine" | "memory">,
): { found: Found; problems: EntityProblem[] } {
  const problems: EntityProblem[] = [];
  const found: Found = { attributes: [], happenings: [], extras: [], availabilities: new Map(), pictures: [] };
  for (const [at, entity] of entities.entries()) {
    try {
      if (at >= MAX_ENTITIES) throw new Error(`a device has at most ${MAX_ENTITIES} entities`);
      describeEntity(entity, { found, engine, memory });
    } catch (error) {
      problems.push({ key: entity.key, problem: `${entity.component}: ${messageOf(error)}` });
    }
  }
  return { found, problems };
}

function namesById({ attributes, words }: Named): Map<string, string> {
  const own = [...attributes].map(([name, { attribute }]) => ({ name, ids: attribute.ids }));
  return new Map([...own, ...words.values()].flatMap(({ name, ids = [] }) => ids.map((id) => [id, name])));
}

/** All of it or nothing. Throws Error for what cannot be. */
function describeEntity(
  entity: Entity,
  { found, engine, memory }: { found: Found; engine: Engine; memory: DeviceMemory },
): void {
  const { component, config } = entity;
  const options = new Options(entity, engine);
  const text = availabilityText(config);
  const availability =
    text === undefined ? undefined : (memory.availabilities.get(text) ?? availabilityOf(config, engine));
  const [describe, happens] = [COMPONENTS.get(component), HAPPENINGS.get(component)];
  const attributes = describe?.(options) ?? [];
  const shown = PICTURES.get(component)?.(options) ?? [];
  const isOnly = SINGLE.has(component);
  const happenings = happens?.(options) ?? [];
  const extras = extrasOf(options);
  // A component that nobody here knows leaves the rest of its device alone.
  if (!describe && !happens) throw new Error("seen, not understood");
  const isOfUse = ({ readings, commanded }: DescribedAttribute): boolean =>
    readings.length > 0 || commanded !== undefined;
  const count = attributes.filter(isOfUse).length + happenings.length + shown.length + (extras ? 1 : 0);
  if (count === 0) throw new Error("it names no topic on which it reports, or takes commands");
  const place = placeOf(entity);
  found.attributes.push(
    ...attributes.map((one) => ({
      ...flagged(withId(one, { ...entity, place }, isOnly), config),
      ...{ component, entity: entity.key, place, isShared: entity.isShared },
      ...{ id: entity.id, isUnsaid: isUnsaid(one, entity), availability },
    })),
  );
  found.happenings.push(...happenings);
  found.pictures.push(...shown);
  if (extras) found.extras.push(extras);
  if (text !== undefined && availability) found.availabilities.set(text, availability);
}

type Placed = Pick<Entity, "key" | "isShared"> & { place: string | undefined };

/** A sensor is the same one whatever topic and key it is read from since; of a lamp each value is. */
function withId(one: DescribedAttribute, { key, place, isShared }: Placed, isOnly: boolean): DescribedAttribute {
  const { attribute, also: [also] = [] } = one;
  const value = isOnly ? "" : (also?.word ?? attribute.name);
  return { ...one, attribute: { ...attribute, ...idsOf({ entity: key, place, isShared }, value) } };
}

/** With what the options of every component say of its attributes. */
function flagged(one: DescribedAttribute, config: JsonObject): DescribedAttribute {
  const isAssumed =
    one.commanded !== undefined && !one.momentary && (one.readings.length === 0 || config.optimistic === true);
  return {
    ...one,
    ...(isAssumed && { assumed: true as const }),
    attribute: { ...one.attribute, ...(config.enabled_by_default === false && { hidden: true as const }) },
  };
}

function described(block: JsonObject | undefined, entities: readonly Entity[], identities: readonly string[]) {
  const components = new Set(entities.map(({ component }) => component));
  const [only, ...others] = entities;
  return {
    identity: identities[0] ?? "",
    identities,
    name: textOf(block?.name) ?? (block && others.length > 0 ? undefined : textOf(only?.config.name)),
    deviceType: RICHEST.find((one) => components.has(one)) ?? only?.component ?? "sensor",
    manufacturer: textOf(block?.manufacturer),
    model: textOf(block?.model) ?? textOf(block?.model_id),
    hardware: hardwareOf(block),
    area: textOf(block?.suggested_area),
    parent: textOf(block?.via_device),
  };
}

const textOf = (value: Json | undefined): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined;

const SWITCHES = ["alarm", "siren_on"];
/** What only has a siren beside its switch: how loud it is, and what it plays. */
const SOUNDS: ReadonlySet<string> = new Set(["volume", "melody", "ringtone", "alarm_volume", "alarm_volume_level"]);

function withSiren(found: readonly FoundAttribute[]): FoundAttribute[] {
  const named = (name: string): FoundAttribute | undefined =>
    found.find(({ component, attribute }) => component === "switch" && attribute.name === name);
  const siren = SWITCHES.map(named).find((one) => one !== undefined);
  const isSiren = found.some(({ component }) => component === "siren");
  if (!siren || isSiren || !found.some(({ attribute }) => SOUNDS.has(attribute.name))) return [...found];
  // `on` is what turns the device itself on, of which the siren is a part.
  const isTaken = found.some(
    ({ attribute, also = [] }) => attribute.word === "on" || also.some(({ word }) => word === "on"),
  );
  const word = { word: "on", conversion: SAME, ...(isTaken && { part: "siren" }) };
  return found.map((one) => (one === siren ? { ...one, also: [...(one.also ?? []), word] } : one));
}
