// What an entity's templates know of itself: `this`, with its state as Home Assistant has it, and what was announced of it.
import { isObject, type Json, type JsonObject, parseJson } from "../../../../kit/schema/json.ts";
import type { About, AskAbout } from "../../templates/template.ts";
import { fromJson, str } from "../../templates/values.ts";
import type { Entity } from "./payload.ts";

/** Which topic brings the state, where that is not `state_topic`. */
const STATE_TOPICS: Readonly<Record<string, string>> = {
  ...{ climate: "mode_state_topic", water_heater: "mode_state_topic", lawn_mower: "activity_state_topic" },
};
/** Their state is `on` or `off`, whatever their payloads are. */
const ON_OFF: ReadonlySet<string> = new Set(["binary_sensor", "fan", "humidifier", "light", "siren", "switch"]);
const ATTRIBUTES = [
  ...["unit_of_measurement", "device_class", "icon", "state_class", "options", "min", "max", "step", "mode", "pattern"],
  ...["supported_color_modes", "effect_list", "event_types", "preset_modes", "fan_modes", "swing_modes", "modes"],
  ...["min_temp", "max_temp", "temp_step", "min_humidity", "max_humidity", "code_format", "assumed_state"],
];

export class OwnState {
  readonly #entity: Entity;
  #state = "unknown";
  /** What came on its `json_attributes_topic` last. */
  #beside: JsonObject = {};

  constructor(entity: Entity) {
    this.#entity = entity;
  }

  /** `value`: what the message on this topic says; undefined where it says nothing. */
  receive(topicKey: string, value: Json | undefined): void {
    if (value === undefined) return;
    if (topicKey === "json_attributes_topic") {
      const parsed = typeof value === "string" ? parseJson(value) : undefined;
      const read = parsed?.ok ? parsed.value : value;
      if (isObject(read)) this.#beside = read;
    } else if (topicKey === (STATE_TOPICS[this.#entity.component] ?? "state_topic")) this.#state = this.#stateOf(value);
  }

  readonly about: AskAbout = (): About => {
    const { config, component, id } = this.#entity;
    const name = typeof config.name === "string" ? config.name : null;
    const known = ATTRIBUTES.flatMap((key) => (config[key] === undefined ? [] : [[key, config[key] as Json] as const]));
    const attributes = { ...this.#beside, ...Object.fromEntries(known), friendly_name: name };
    const entityId = `${component}.${id}`;
    return { entity_id: entityId, name, this: { entity_id: entityId, state: this.#state, name, attributes } };
  };

  #stateOf(value: Json): string {
    const { component, config } = this.#entity;
    const text = str(fromJson(value)).slice(0, MAX_STATE_LENGTH);
    if (value === null || text === "None") return "unknown";
    if (!ON_OFF.has(component)) return text;
    const said = (one: "on" | "off"): string =>
      str(fromJson(config[`state_${one}`] ?? config[`payload_${one}`] ?? one.toUpperCase()));
    return text === said("on") ? "on" : text === said("off") ? "off" : text;
  }
}

// As in Home Assistant.
const MAX_STATE_LENGTH = 255;
