// Lights, covers, climates, locks and fans: Home Assistant's state against the shared words.
import { inTemplate, type Seen } from "../entities.ts";
import { type Finding, isNear, isUnknown, judgeWord } from "./finding.ts";

export function judgeLight(seen: Seen): Finding[] {
  const { says, entity } = seen;
  if (isUnknown(says.state)) return [];
  const part = entity.part === undefined ? "" : `_${entity.part}`;
  const isOn = says.state === "on";
  const found = judgeWord(seen, "on", { of: `state${part}`, says: says.state, isRight: (value) => value === isOn });
  const { brightness, color_temp_kelvin: kelvin } = says.attributes;
  if (typeof brightness === "number" && entity.config.brightness === true) {
    const percent = (brightness / 255) * 100;
    found.push(
      ...judgeWord(seen, "brightness_pct", {
        of: `brightness${part}`,
        says: brightness,
        isRight: (value) => isNear(value, percent, 0.8),
      }),
    );
  }
  if (typeof kelvin === "number") {
    // Both round: to a mired, or to a kelvin.
    const isRight = (value: unknown): boolean =>
      isNear(value, kelvin, 1) || (typeof value === "number" && isNear(1e6 / value, 1e6 / kelvin, 1.01));
    found.push(...judgeWord(seen, "color_temp_k", { of: `color_temp${part}`, says: kelvin, isRight }));
  }
  if (says.attributes.color_mode === "xy" || says.attributes.color_mode === "hs") {
    const { rgb_color: color } = says.attributes;
    const isRight = (value: unknown): boolean => isColor(value, color);
    if (Array.isArray(color)) found.push(...judgeWord(seen, "color_rgb", { of: `color${part}`, says: color, isRight }));
  }
  return found;
}

// Of 255: the ways from x and y to red, green and blue differ in their constants.
const MAX_APART = 12;

function isColor(value: unknown, color: unknown): boolean {
  const [, red, green, blue] = /^#(..)(..)(..)$/.exec(String(value)) ?? [];
  const hex = [red, green, blue].map((one) => Number.parseInt(one ?? "", 16));
  return Array.isArray(color) && hex.every((one, index) => isNear(one, color[index], MAX_APART));
}

export function judgeCover(seen: Seen): Finding[] {
  const { says, entity } = seen;
  const { current_position: position, current_tilt_position: tilt } = says.attributes;
  const part = entity.part === undefined ? "" : `_${entity.part}`;
  const found: Finding[] = [];
  if (typeof position === "number")
    found.push(
      ...judgeWord(seen, "position", {
        of: `position${part}`,
        says: position,
        isRight: (value) => isNear(value, position, 0.5),
      }),
    );
  if (typeof tilt === "number")
    found.push(
      ...judgeWord(seen, "tilt_pct", { of: `tilt${part}`, says: tilt, isRight: (value) => isNear(value, tilt, 0.5) }),
    );
  if (says.state === "opening" || says.state === "closing")
    found.push(...judgeWord(seen, "moving", { says: says.state, isRight: (value) => value === says.state }));
  // What stands still may have no word for it, but never one of motion.
  else if (says.state === "open" || says.state === "closed") {
    const moves = judgeWord(seen, "moving", {
      says: says.state,
      isRight: (value) => value !== "opening" && value !== "closing",
    });
    found.push(...moves.filter(({ what }) => what === "moving"));
  }
  return found;
}

export function judgeClimate(seen: Seen): Finding[] {
  const { says, entity } = seen;
  const { hvac_action: action, current_temperature: current, temperature: target } = says.attributes;
  const of = (name: string): string | undefined => inTemplate(entity.config[name]);
  const found: Finding[] = [];
  // Without a topic for it Home Assistant takes it to be off until it receives otherwise.
  if (entity.config.mode_state_topic && !isUnknown(says.state))
    found.push(
      ...judgeWord(seen, "mode", {
        of: of("mode_state_template"),
        says: says.state,
        isRight: (value) => value === says.state,
      }),
    );
  if (!isUnknown(action))
    found.push(
      ...judgeWord(seen, "action", { of: of("action_template"), says: action, isRight: (value) => value === action }),
    );
  if (typeof current === "number") {
    const isRight = (value: unknown): boolean => isNear(value, current, 0.0501);
    found.push(
      ...judgeWord(seen, "current_temperature", { of: of("current_temperature_template"), says: current, isRight }),
    );
  }
  if (typeof target === "number") {
    const isRight = (value: unknown): boolean => isNear(value, target, 0.0501);
    found.push(
      ...judgeWord(seen, "target_temperature", { of: of("temperature_state_template"), says: target, isRight }),
    );
  }
  return found;
}

export function judgeLock(seen: Seen): Finding[] {
  const { state } = seen.says;
  if (isUnknown(state)) return [];
  const locked = state === "locked" ? true : state === "unlocked" ? false : null;
  const { lock_state: beside } = seen.reported;
  const says = beside === undefined ? state : `${state}, beside lock_state ${beside}`;
  const found = judgeWord(seen, "locked", {
    of: seen.entity.property,
    says,
    isRight: (value) => (value ?? null) === locked,
  });
  const named = judgeWord(seen, "lock_state", { says, isRight: (value) => value === undefined || value === state });
  return [...found, ...named.filter(({ what }) => what === "lock_state")];
}

export function judgeFan(seen: Seen): Finding[] {
  const { says, entity } = seen;
  if (isUnknown(says.state)) return [];
  const isOn = says.state === "on";
  const found = judgeWord(seen, "on", { of: entity.property, says: says.state, isRight: (value) => value === isOn });
  const { percentage } = says.attributes;
  if (typeof percentage === "number") {
    const of = inTemplate(entity.config.percentage_value_template);
    found.push(
      ...judgeWord(seen, "speed_pct", { of, says: percentage, isRight: (value) => isNear(value, percentage, 1) }),
    );
  }
  return found;
}
