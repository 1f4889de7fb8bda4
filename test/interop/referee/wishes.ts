// What is asked of each kind of thing: a service of Home Assistant's, and the same wish in the hub's words.
import { setIn } from "../corpus/referee.ts";
import type { Entity, HubDevice } from "./entities.ts";
import { inTemplate, namesOfWord } from "./entities.ts";
import type { EntityState } from "./home-assistant.ts";
import { ownNames } from "./kinds/own.ts";

export interface Wish {
  /** The word or attribute that is commanded, for the table. */
  what: string;
  service: string;
  data: Record<string, unknown>;
  /** Undefined where the hub has no attribute for it. */
  wanted: Record<string, unknown> | undefined;
  /** By property: how far apart the two may be that round differently. */
  within?: Record<string, number>;
}

interface Asked {
  entity: Entity;
  says: EntityState;
  hub: HubDevice;
}

type Maker = (asked: Asked) => Wish[];

/** Makes wishes of one entity. */
export function wishesOf(asked: Asked): Wish[] {
  return MAKERS[asked.entity.component]?.(asked) ?? [];
}

function word({ entity, hub }: Asked, name: string, of?: string): string | undefined {
  const isAlone = entity.device.filter(({ component }) => component === entity.component).length === 1;
  return namesOfWord(hub, name, { entity, property: of, isAlone })[0];
}

function wish(
  what: string,
  attribute: string | undefined,
  value: unknown,
  [service, data = {}]: [string, Record<string, unknown>?],
): Wish {
  return { what, service, data, wanted: attribute === undefined ? undefined : { [attribute]: value } };
}

const ofPart = ({ entity }: Asked, property: string): string =>
  entity.part === undefined ? property : `${property}_${entity.part}`;

const light: Maker = (asked) => {
  const on = word(asked, "on", ofPart(asked, "state"));
  const {
    min_color_temp_kelvin: min,
    max_color_temp_kelvin: max,
    supported_color_modes: modes,
  } = asked.says.attributes;
  const wishes = [wish("on", on, true, ["turn_on"]), wish("on", on, false, ["turn_off"])];
  const lit = (what: string, of: string, value: unknown, data: Record<string, unknown>): void => {
    const attribute = word(asked, what, ofPart(asked, of));
    const wanted = attribute === undefined || on === undefined ? undefined : { [on]: true, [attribute]: value };
    wishes.push({ what, service: "turn_on", data, wanted });
  };
  if (asked.entity.config.brightness === true)
    for (const level of [1, 40, 100]) lit("brightness_pct", "brightness", level, { brightness_pct: level });
  if (typeof min === "number" && typeof max === "number")
    for (const kelvin of new Set([min, 2700, Math.round((min + max) / 2), max]))
      if (kelvin >= min && kelvin <= max) lit("color_temp_k", "color_temp", kelvin, { color_temp_kelvin: kelvin });
  if (Array.isArray(modes) && (modes.includes("xy") || modes.includes("hs")))
    lit("color_rgb", "color", "#ff8800", { rgb_color: [255, 136, 0] });
  return wishes;
};

const cover: Maker = (asked) => {
  const { config } = asked.entity;
  const command = word(asked, "command", ofPart(asked, "state"));
  const wishes = ["open", "close", "stop"].map((one) => wish("command", command, one, [`${one}_cover`]));
  if (config.set_position_topic)
    for (const position of [0, 30, 100])
      wishes.push(
        wish("position", word(asked, "position", ofPart(asked, "position")), position, [
          "set_cover_position",
          { position },
        ]),
      );
  if (config.tilt_command_topic)
    for (const tilt of [0, 30, 100])
      wishes.push(
        wish("tilt_pct", word(asked, "tilt_pct", ofPart(asked, "tilt")), tilt, [
          "set_cover_tilt_position",
          { tilt_position: tilt },
        ]),
      );
  return wishes;
};

const climate: Maker = (asked) => {
  const { entity, says } = asked;
  const { config } = entity;
  const { min_temp: min, max_temp: max, hvac_modes: modes } = says.attributes;
  const of = (template: unknown): string | undefined => inTemplate(template);
  const wishes: Wish[] = [];
  const target = word(asked, "target_temperature", of(config.temperature_state_template));
  if (config.temperature_command_topic && typeof min === "number" && typeof max === "number")
    for (const temperature of [min, Math.round((min + max) / 2), max])
      wishes.push(wish("target_temperature", target, temperature, ["set_temperature", { temperature }]));
  const mode = word(asked, "mode", of(config.mode_state_template));
  for (const one of Array.isArray(modes) ? modes : [])
    wishes.push(wish(`mode ${one}`, mode, one, ["set_hvac_mode", { hvac_mode: one }]));
  for (const [kind, template] of [
    ["preset", config.preset_mode_value_template],
    ["fan", config.fan_mode_state_template],
    ["swing", config.swing_mode_state_template],
  ] as const) {
    const property = of(template);
    const options = says.attributes[`${kind}_modes`];
    if (property === undefined || !Array.isArray(options)) continue;
    for (const option of options.filter((one) => one !== "none").slice(0, 2))
      wishes.push(own(asked, property, option, [`set_${kind}_mode`, { [`${kind}_mode`]: option }]));
  }
  return wishes;
};

const lock: Maker = (asked) => {
  const locked = word(asked, "locked", asked.entity.property);
  return [wish("locked", locked, true, ["lock"]), wish("locked", locked, false, ["unlock"])];
};

const PERCENTAGES = [1, 10, 33, 50, 66, 100];
const MAX_STEPS = 10;

/** Round ones, and what Home Assistant itself calls each step of a fan that has few. */
function percentagesOf({ speed_range_max: steps }: Record<string, unknown>): Set<number> {
  const each =
    typeof steps === "number" && steps <= MAX_STEPS
      ? Array.from({ length: steps }, (_, at) => Math.floor(((at + 1) * 100) / steps))
      : [];
  return new Set([...PERCENTAGES, ...each]);
}

const speedOf = ({ entity }: Asked): string | undefined => inTemplate(entity.config.percentage_value_template);

const fan: Maker = (asked) => {
  const { entity } = asked;
  const on = word(asked, "on", entity.property);
  const speed = word(asked, "speed_pct", speedOf(asked));
  const wishes = [wish("on", on, true, ["turn_on"]), wish("on", on, false, ["turn_off"])];
  for (const percentage of percentagesOf(entity.config)) {
    const one = wish(`speed_pct ${percentage}`, speed, percentage, ["set_percentage", { percentage }]);
    // One of a hundred steps and more.
    wishes.push(Number(entity.config.speed_range_max) >= 100 ? { ...one, within: { [speedOf(asked) ?? ""]: 1 } } : one);
  }
  return wishes;
};

const siren: Maker = (asked) => {
  const on = word(asked, "on");
  return [wish("on", on, true, ["turn_on"]), wish("on", on, false, ["turn_off"])];
};

/** The property that an announcement's command topic sets. */
function commanded({ entity: { model, config } }: Asked): string | undefined {
  return Object.keys(setIn(model.name, String(config.command_topic), '"x"') ?? {})[0];
}

function own(
  asked: Asked,
  property: string | undefined,
  value: unknown,
  service: [string, Record<string, unknown>?],
): Wish {
  const [name] = property === undefined ? [] : ownNames(asked, property);
  return wish("own attribute", name, value, service);
}

const switches: Maker = (asked) => {
  const property = asked.entity.property ?? commanded(asked);
  return [own(asked, property, true, ["turn_on"]), own(asked, property, false, ["turn_off"])];
};

const select: Maker = (asked) => {
  const { options } = asked.says.attributes;
  const property = asked.entity.property ?? commanded(asked);
  return Array.isArray(options)
    ? [...new Set([options[0], options.at(-1)])].map((option) =>
        own(asked, property, option, ["select_option", { option }]),
      )
    : [];
};

const number: Maker = (asked) => {
  const { min, max } = asked.says.attributes;
  const property = asked.entity.property ?? commanded(asked);
  return [...new Set([min, max])].map((value) => own(asked, property, value, ["set_value", { value }]));
};

const text: Maker = (asked) => {
  const { min, max } = asked.says.attributes;
  const value = "abcdefghij".repeat(30).slice(0, Math.min(Math.max(3, Number(min)), Number(max)));
  return [own(asked, asked.entity.property ?? commanded(asked), value, ["set_value", { value }])];
};

const MAKERS: Readonly<Record<string, Maker>> = {
  climate,
  cover,
  fan,
  light,
  lock,
  number,
  select,
  siren,
  switch: switches,
  text,
};
