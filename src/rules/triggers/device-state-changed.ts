// `device_state_changed`: an attribute of a device takes another value. What is restored or repeated changes nothing, and
// so makes no event.
import { type Static, Type } from "@sinclair/typebox";
import { type Json, jsonEqual } from "../../core/json.ts";
import { defineTrigger } from "../define.ts";
import { checkDevices, deviceContext, deviceEventOf, deviceInterests, devicesOf, whichDevices } from "../devices.ts";
import { attribute, forDurationSecs, json, someDevices } from "../fields.ts";
import { fits, msOf, refusal, showChoice } from "../values.ts";

const value = (description: string) => Type.Optional(json(`${description}: a value, or a list of values`));

const fields = {
  ...someDevices,
  attribute: Type.Optional(attribute),
  to: value("Only to this"),
  from: value("Only from this; null is an attribute that was not there"),
  not_to: value("Not to this"),
  not_from: value("Not from this"),
  for_duration_secs: forDurationSecs,
};
type Wanted = Static<ReturnType<typeof Type.Object<typeof fields>>>;

export const deviceStateChanged = defineTrigger({
  type: "device_state_changed",
  doc: "An attribute of a device changes; without `attribute` any of them, and the first that fits is told.",
  fields,
  label: (spec) => [`${whichDevices(spec)}.${spec.attribute ?? "*"}`, ...moves(spec)].join(" "),
  check(spec) {
    checkDevices(spec);
    if (devicesOf(spec) === undefined && spec.attribute === undefined) {
      throw refusal("", "give a `device_id`, `device_ids` or an `attribute`: every change of everything is too much");
    }
  },
  interests: (spec) => deviceInterests("device_state_changed", spec),
  match(spec, envelope, host) {
    const event = deviceEventOf("device_state_changed", envelope, spec);
    const changed = event?.changed.find(
      (name) =>
        (spec.attribute === undefined || spec.attribute === name) &&
        fitsNow(spec, present(event.current, name)) &&
        fittedBefore(spec, present(event.previous, name)),
    );
    if (!event || changed === undefined) return undefined;
    return {
      ...deviceContext(host, event.device_id),
      attribute: changed,
      value: present(event.current, changed),
      previous: present(event.previous, changed),
    };
  },
  hold: {
    durationMs: (spec) => (spec.for_duration_secs === undefined ? undefined : msOf(spec.for_duration_secs)),
    // With a wanted value it may change to another wanted one; without, any change begins anew.
    stands(spec, context, host) {
      const attributes = host.device(String(context.device_id))?.attributes;
      if (attributes === undefined) return false;
      const now = present(attributes, String(context.attribute));
      const anyValue = spec.to === undefined && spec.not_to === undefined;
      return anyValue ? jsonEqual(now, context.value) : fitsNow(spec, now);
    },
  },
  example: { device_ids: ["door", "window"], attribute: "open", from: [false, null], to: true, for_duration_secs: 600 },
});

function present(attributes: Readonly<Record<string, unknown>>, name: string): Json {
  return Object.hasOwn(attributes, name) ? (attributes[name] as Json) : null;
}

function fitsNow({ to, not_to }: Wanted, now: Json): boolean {
  return (to === undefined || fits(now, to)) && (not_to === undefined || !fits(now, not_to));
}

function fittedBefore({ from, not_from }: Wanted, before: Json): boolean {
  return (from === undefined || fits(before, from)) && (not_from === undefined || !fits(before, not_from));
}

function moves({ from, not_from, to, not_to, for_duration_secs }: Wanted): string[] {
  const words = [
    from === undefined ? "" : `from ${showChoice(from)}`,
    not_from === undefined ? "" : `not from ${showChoice(not_from)}`,
    to === undefined ? "" : `to ${showChoice(to)}`,
    not_to === undefined ? "" : `not to ${showChoice(not_to)}`,
  ].filter(Boolean);
  return [
    words.length === 0 ? "changes" : words.join(" "),
    ...(for_duration_secs ? [`for ${for_duration_secs} s`] : []),
  ];
}
