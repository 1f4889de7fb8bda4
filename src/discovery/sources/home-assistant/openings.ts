// What opens and closes: covers, valves, locks.
import type { Json } from "../../../core/json.ts";
import { percentOf, wrong } from "../../words.ts";
import { booleanOf, type DescribedAttribute, type Options, onOff, textOf } from "./entity.ts";
import { nameOf, switchName } from "./names.ts";
import { renamed, valueAs } from "./several.ts";
import { attributeOf, type Component } from "./simple.ts";

const COVER_STATES = ["open", "opening", "closed", "closing", "stopped"] as const;

export const cover: Component = (options) => {
  const found: DescribedAttribute[] = [];
  const payloads: Record<string, string | undefined> = {
    open: options.text("payload_open") ?? "OPEN",
    close: options.text("payload_close") ?? "CLOSE",
    stop: options.config.payload_stop === null ? undefined : (options.text("payload_stop") ?? "STOP"),
  };
  const state = options.reading("state_topic", "value_template");
  const isMade = options.text("value_template") !== undefined && !state?.path;
  const name = isMade ? "cover_state" : (state?.path?.at(-1) ?? "state");
  const states = COVER_STATES.flatMap((one) => options.text(`state_${one}`) ?? []);
  const move = (value: Json): Json => {
    const known = Object.values(payloads).filter((one) => one !== undefined);
    const payload = payloads[String(value)] ?? known.find((one) => one === value);
    if (payload === undefined) throw wrong(name, `must be one of ${known.join(", ")}`);
    return payload;
  };
  const commanded = options.commanded(name, { topic: "command_topic", template: "command_template" }, move);
  if (state || commanded) {
    const listed = states.length > 0 ? states : undefined;
    found.push(
      attributeOf(
        options,
        { name, type: "string", ...(listed && { options: listed }) },
        { readings: [state && textOf(state)], commanded },
      ),
    );
  }
  const [open, closed] = [options.number("position_open") ?? 100, options.number("position_closed") ?? 0];
  found.push(...position(options, { open, closed }));
  const [tiltMin, tiltMax] = [options.number("tilt_min") ?? 0, options.number("tilt_max") ?? 100];
  found.push(
    ...valueAs(options, {
      ...{ word: "tilt", type: "number", min: tiltMin, max: tiltMax },
      state: ["tilt_status_topic", "tilt_status_template"],
      command: { topic: "tilt_command_topic", template: "tilt_command_template", also: "tilt_position" },
    }),
  );
  return found;
};

function position(options: Options, { open, closed }: { open: number; closed: number }): DescribedAttribute[] {
  const [min, max] = [Math.min(open, closed), Math.max(open, closed)];
  const found = valueAs(options, {
    ...{ word: "position", type: "number", min, max },
    state: ["position_topic", "position_template"],
    command: { topic: "set_position_topic", template: "set_position_template", also: "position" },
  });
  const [one] = found;
  if (!one || (open === 100 && closed === 0)) return found;
  // On a scale of its own, or upside down.
  const own = one.attribute.name === "position" ? renamed(one, "position_raw") : one;
  return [{ ...own, also: { name: "position", conversion: percentOf(closed, open) } }];
}

export const valve: Component = (options) => {
  if (!options.is("reports_position")) {
    const name = switchName(nameOf(options, options.reading("state_topic", "value_template")));
    const state = options.reading("state_topic", "value_template");
    const [open, close] = [options.text("payload_open") ?? "OPEN", options.text("payload_close") ?? "CLOSE"];
    const reading =
      state && booleanOf(state, options.text("state_open") ?? "open", options.text("state_closed") ?? "closed");
    const commanded = options.commanded(
      name,
      { topic: "command_topic", template: "command_template" },
      onOff(name, open, close),
    );
    return [attributeOf(options, { name, type: "boolean" }, { readings: [reading], commanded })];
  }
  return valueAs(options, {
    ...{ word: "position", type: "number", min: 0, max: 100, unit: "%" },
    state: ["state_topic", "value_template"],
    command: { topic: "command_topic", template: "command_template" },
  });
};

export const lock: Component = (options) => {
  options.needsTopic("command_topic");
  const state = options.reading("state_topic", "value_template");
  const name = switchName(state?.path?.at(-1) ?? "state", "locked");
  const [on, off] = [options.text("payload_lock") ?? "LOCK", options.text("payload_unlock") ?? "UNLOCK"];
  const commanded = options.commanded(
    name,
    { topic: "command_topic", template: "command_template" },
    onOff(name, on, off),
  );
  const reading =
    state && booleanOf(state, options.text("state_locked") ?? "LOCKED", options.text("state_unlocked") ?? "UNLOCKED");
  return [attributeOf(options, { name, type: "boolean" }, { readings: [reading], commanded })];
};
