// Dates, times of day, and moments that can be set: on the wire in full, as ISO 8601 says them.

import type { Json } from "../../../../../kit/schema/json.ts";
import { DATE_NEEDED, type DateFormat, fullDate } from "../../../../../kit/time/date-formats.ts";
import { isTimeZone } from "../../../../../kit/time/zone.ts";
import { wrong } from "../../../words.ts";
import { type Options, type Reading, textOf } from "../entity.ts";
import { nameOf } from "../naming/names.ts";
import { attributeOf, type Component } from "./simple.ts";

const settable =
  (format: DateFormat): Component =>
  (options) => {
    options.needsTopic("command_topic");
    const state = options.reading("state_topic", "value_template");
    const name = nameOf(options, state);
    const keys = { topic: "command_topic", template: "command_template" };
    const commanded = options.commanded(name, keys, (value: Json): Json => {
      const full = typeof value === "string" ? fullDate(format, value) : undefined;
      if (full === undefined) throw wrong(name, `must be ${DATE_NEEDED[format]}`);
      return full;
    });
    const attribute = { name, type: "string", format } as const;
    return [attributeOf(options, attribute, { readings: [state && reported(options, state, format)], commanded })];
  };

/** What is none is as it was reported, so that a person sees it. */
function reported(options: Options, state: Reading, format: DateFormat): Reading {
  const zone = options.text("timezone");
  const known = zone !== undefined && isTimeZone(zone) ? zone : undefined;
  const said = textOf(state);
  return {
    ...said,
    read(message) {
      const value = said.read(message);
      return typeof value === "string" ? (fullDate(format, value, known) ?? value) : value;
    },
  };
}

export const date = settable("date");
export const time = settable("time");
export const datetime = settable("date-time");
