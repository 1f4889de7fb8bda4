// Dates, times of day, and moments that can be set: on the wire in full, as ISO 8601 says them.

import type { Json } from "../../../core/json.ts";
import { isTimeZone } from "../../../core/zone.ts";
import { wrong } from "../../words.ts";
import { type Options, type Reading, textOf } from "./entity.ts";
import { nameOf } from "./names.ts";
import { attributeOf, type Component } from "./simple.ts";

interface Form {
  format: "date" | "time" | "date-time";
  /** In full; undefined for what is none. `zone`: of what is reported without one. */
  full(text: string, zone?: string): string | undefined;
  /** For the error. */
  needed: string;
}

const DATE: Form = {
  format: "date",
  full: (text) => quietly(/^\d{4}-\d\d-\d\d/, text, () => Temporal.PlainDate.from(text).toString()),
  needed: 'a date such as "2026-11-27"',
};
const TIME: Form = {
  format: "time",
  full: (text) =>
    quietly(/^\d\d:\d\d(:\d\d(\.\d{1,9})?)?$/, text, () => isoTime(Temporal.PlainTime.from(text).toString())),
  needed: 'a time of day such as "06:30" or "06:30:00"',
};
const MOMENT: Form = {
  format: "date-time",
  full: (text, zone) =>
    quietly(/^\d{4}-\d\d-\d\d[T ]\d\d:\d\d/i, text, () => {
      const [, local = text, end] = /^(.*?)(Z|[+-]\d\d:?\d\d)?$/i.exec(text) ?? [];
      const plain = Temporal.PlainDateTime.from(local);
      if (end !== undefined) return `${isoTime(plain.toString())}${/^z$/i.test(end) ? "+00:00" : end}`;
      return zone && `${isoTime(plain.toZonedDateTime(zone).toInstant().toString().replace("Z", ""))}+00:00`;
    }),
  needed: 'a date and a time with its zone, such as "2026-11-27T06:30:00+01:00" or "2026-11-27T05:30:00Z"',
};

function quietly(shape: RegExp, text: string, read: () => string | undefined): string | undefined {
  try {
    return shape.test(text) ? read() : undefined;
  } catch {
    return undefined;
  }
}

/** `06:30` is `06:30:00`: there are devices that take nothing shorter. */
const isoTime = (text: string): string => (/(^|T)\d\d:\d\d$/.test(text) ? `${text}:00` : text);

const settable =
  (form: Form): Component =>
  (options) => {
    options.needsTopic("command_topic");
    const state = options.reading("state_topic", "value_template");
    const name = nameOf(options, state);
    const keys = { topic: "command_topic", template: "command_template" };
    const commanded = options.commanded(name, keys, (value: Json): Json => {
      const full = typeof value === "string" ? form.full(value) : undefined;
      if (full === undefined) throw wrong(name, `must be ${form.needed}`);
      return full;
    });
    const attribute = { name, type: "string", format: form.format } as const;
    return [attributeOf(options, attribute, { readings: [state && reported(options, state, form)], commanded })];
  };

/** What is none is as it was reported, so that a person sees it. */
function reported(options: Options, state: Reading, { full }: Form): Reading {
  const zone = options.text("timezone");
  const known = zone !== undefined && isTimeZone(zone) ? zone : undefined;
  const said = textOf(state);
  return {
    ...said,
    read(message) {
      const value = said.read(message);
      return typeof value === "string" ? (full(value, known) ?? value) : value;
    },
  };
}

export const date = settable(DATE);
export const time = settable(TIME);
export const datetime = settable(MOMENT);
