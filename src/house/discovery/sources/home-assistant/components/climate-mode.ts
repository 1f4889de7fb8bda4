// The mode of a climate: with `off` wherever the device can be turned off, whichever of its entities does that.
import type { Json } from "../../../../../kit/schema/json.ts";
import { type Conversion, SAME } from "../../../words.ts";
import {
  type Commanded,
  type DescribedAttribute,
  type Options,
  oneOf,
  onOff,
  quietly,
  type Reading,
} from "../entity.ts";
import type { FoundAttribute } from "../naming/shared-names.ts";
import { madeInto, stateAnd, valueAs } from "../several.ts";
import { attributeOf } from "./simple.ts";

const OFF = "off";

/** The climate's own, with `off` also where that is a switch of its own. A mode that it does not list is unknown. */
export function modeOf(options: Options, modes: readonly string[]): DescribedAttribute[] {
  const [found] = valueAs(options, { word: "mode", type: "string", options: modes, ...stateAnd("mode") });
  if (!found) return byPreset(options);
  const switched = power(options)[0]?.commanded;
  const all = switched && !modes.includes(OFF) ? [OFF, ...modes] : modes;
  const { name } = found.attribute;
  const { word: _word, ...attribute } = found.attribute;
  const set = found.commanded;
  const commanded: Commanded | undefined = set && {
    write({ mode = null }) {
      const wanted = oneOf("mode", all)(mode);
      if (!switched || modes.includes(OFF)) return set.write({ [name]: wanted });
      if (wanted === OFF) return switched.write({ power: false });
      return [...switched.write({ power: true }), ...set.write({ [name]: wanted })];
    },
  };
  const conversion: Conversion = {
    ...SAME,
    attribute: { type: "string", options: all },
    from: (value) => (modes.includes(String(value)) ? value : null),
  };
  const one = { ...found, attribute, also: [] };
  if (name === "mode" && !found.readings.some(({ path }) => path !== undefined))
    return [{ ...madeInto(one, "mode", conversion), commanded }];
  return [{ ...one, also: [{ word: "mode", conversion, commanded }] }];
}

export function power(options: Options): DescribedAttribute[] {
  const name = "power";
  const [on, off] = [options.text("payload_on") ?? "ON", options.text("payload_off") ?? "OFF"];
  const command = { topic: "power_command_topic", template: "power_command_template" };
  const commanded = options.commanded(name, command, onOff(name, on, off));
  return commanded ? [attributeOf(options, { name, type: "boolean" }, { commanded })] : [];
}

const [AUTO, HEAT] = ["auto", "heat"] as const;

/** Of a climate that has no modes, by its presets. */
function byPreset(options: Options): DescribedAttribute[] {
  const presets = options.texts("preset_modes") ?? [];
  const [preset] = valueAs(options, {
    ...{ word: "preset_mode", type: "string", options: presets },
    state: ["preset_mode_state_topic", "preset_mode_value_template"],
    command: { topic: "preset_mode_command_topic", template: "preset_mode_command_template" },
  });
  if (!preset?.commanded || !presets.includes(OFF)) return [];
  const { commanded: set, readings, attribute } = preset;
  const by = (...names: string[]): string | undefined => names.find((one) => presets.includes(one));
  const presetOf = new Map([
    [OFF, OFF],
    [AUTO, by("auto", "schedule")],
    [HEAT, by("on", "manual", "comfort")],
  ]);
  const modes = [...presetOf].flatMap(([mode, one]) => (one === undefined ? [] : [mode]));
  const modeIn = (value: Json): Json => (value === OFF ? OFF : value === presetOf.get(AUTO) ? AUTO : HEAT);
  const commanded: Commanded = {
    write: ({ mode = null }) =>
      set.write({ [attribute.name]: presetOf.get(oneOf("mode", modes)(mode) as string) ?? OFF }),
  };
  const made = readings.map(
    (reading): Reading => ({
      ...{ topic: reading.topic, path: undefined, template: `${reading.template ?? ""} mode` },
      read(message) {
        const value = reading.read(message);
        return value === undefined || value === null ? value : modeIn(value);
      },
    }),
  );
  const one = attributeOf(options, { name: "mode", type: "string", options: modes }, { readings: made, commanded });
  return [{ ...one, attribute: { ...one.attribute, word: "mode", derived: true, of: attribute.name } }];
}

const CLIMATES: ReadonlySet<string> = new Set(["climate", "water_heater"]);
// What turns the whole device on and off; the last only where there are no modes.
const POWERS = ["on", "air_switch", "switch"];

/** Where a switch beside the only climate of a device turns it off, which its modes cannot. */
export function withPower(found: readonly FoundAttribute[]): FoundAttribute[] {
  const climates = new Set(found.flatMap(({ component, entity }) => (CLIMATES.has(component) ? [entity] : [])));
  const [climate] = climates;
  if (climate === undefined || climates.size > 1) return [...found];
  const holder = found.find((one) => one.entity === climate && isMode(one));
  const { modes, of } = holder ? modesIn(holder) : { modes: [HEAT], of: undefined };
  const power = POWERS.slice(0, holder ? -1 : undefined)
    .flatMap((name) => found.filter((one) => one.component === "switch" && one.attribute.name === name))
    .find(({ attribute, commanded }) => commanded && attribute.part === undefined && attribute.category === undefined);
  const [first] = found.filter(({ entity }) => entity === climate);
  if (!power || !first || modes.includes(OFF) || (holder && !of?.commanded)) return [...found];
  const mode = poweredMode({ modes, of, power, name: holder?.attribute.name });
  const { component, entity, place, isShared, id, availability } = first;
  return [
    ...found.flatMap((one) => (one === holder ? withoutMode(one) : [one])),
    { ...mode, component, entity, place, isShared, id, availability, isUnsaid: false },
  ];
}

const isMode = ({ attribute, also = [] }: DescribedAttribute): boolean =>
  attribute.word === "mode" || also.some(({ word }) => word === "mode");

interface Powered {
  modes: readonly string[];
  of: Pick<DescribedAttribute, "readings" | "commanded"> | undefined;
  power: DescribedAttribute;
  /** What the climate itself calls its mode. */
  name: string | undefined;
}

function modesIn(holder: DescribedAttribute): Pick<Powered, "modes" | "of"> {
  const word = holder.also?.find((one) => one.word === "mode");
  const { options: modes = [] } = word ? word.conversion.attribute : holder.attribute;
  return { modes, of: { readings: holder.readings, commanded: word ? word.commanded : holder.commanded } };
}

function withoutMode(one: FoundAttribute): FoundAttribute[] {
  return one.attribute.word === "mode" ? [] : [{ ...one, also: one.also?.filter(({ word }) => word !== "mode") }];
}

function poweredMode({ modes, of, power, name }: Powered): DescribedAttribute {
  const all = [OFF, ...modes];
  let [isOn, last]: [Json | undefined, Json | undefined] = [undefined, undefined];
  const said = (): Json | undefined => (isOn === false ? OFF : of ? last : isOn === true ? HEAT : undefined);
  const remembered = ({ topic, template, read }: Reading, take: (value: Json) => void): Reading => ({
    ...{ topic, path: undefined, template: `${template ?? ""} mode` },
    read(message) {
      const value = quietly(() => read(message));
      if (value === undefined) return undefined;
      take(value);
      return said();
    },
  });
  const readings = [
    ...(of?.readings ?? []).map((reading) =>
      remembered(reading, (value) => (last = modes.includes(String(value)) ? value : null)),
    ),
    ...power.readings.map((reading) => remembered(reading, (value) => (isOn = value))),
  ];
  const commanded: Commanded = {
    write({ mode = null }) {
      const wanted = oneOf("mode", all)(mode);
      const turned = power.commanded?.write({ [power.key ?? power.attribute.name]: wanted !== OFF }) ?? [];
      return wanted === OFF || !of ? turned : [...turned, ...(of.commanded?.write({ mode: wanted }) ?? [])];
    },
  };
  const kind = { name: "mode", type: "string", options: all, word: "mode", derived: true } as const;
  const own = name === undefined || name === "mode" ? power.attribute.name : name;
  return { attribute: { ...kind, of: own, readable: readings.length > 0, writable: true }, readings, commanded };
}
