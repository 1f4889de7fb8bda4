// `device_state_changed`: an attribute of a device takes another value. A value that is restored or repeated is no change,
// and there is no event for it. An attribute that a state leaves out is in the event, and has no value that a rule could take.
import { type Static, Type } from "@sinclair/typebox";
import { type Json, jsonEqual } from "../../kit/schema/json.ts";
import { changeContext, changeKind, changeSource, kindOfChange, sourceOfChange } from "../model/changes.ts";
import { invalid } from "../model/checks.ts";
import { defineTrigger } from "../model/define.ts";
import { DEVICE_CONTEXT_KEYS, deviceContext, deviceEventOf, deviceInterests } from "../model/devices.ts";
import { attribute, forDurationSecs, json, someDevices } from "../model/fields.ts";
import type { HouseReads } from "../model/host.ts";
import { checkDevices, devicesOf, isFound, whichDevices } from "../model/targets.ts";
import { matchesValue, msOf, showChoice } from "../model/values.ts";

const value = (description: string) => Type.Optional(json(`${description}: a value, or a list of values`));

const fields = {
  ...someDevices,
  attribute: Type.Optional(attribute),
  to: value("Only to this; null also means that there is no such attribute any more"),
  from: value("Only from this; null means that there was no such attribute"),
  not_to: value("Not to this"),
  not_from: value("Not from this"),
  for_duration_secs: forDurationSecs,
  change_kind: Type.Optional(changeKind),
  change_source: Type.Optional(changeSource),
};
type Wanted = Static<ReturnType<typeof Type.Object<typeof fields>>>;

export const deviceStateChanged = defineTrigger({
  type: "device_state_changed",
  doc: "An attribute of a device takes another value; without `attribute`, any, and the first that matches is passed on. One that is gone, as the device leaves it out, has no value: that fires only with `to: null`.",
  fields,
  label: (spec) => [`${whichDevices(spec)}.${spec.attribute ?? "*"}`, ...moves(spec)].join(" "),
  check(spec) {
    checkDevices(spec);
    if (devicesOf(spec) === undefined && !isFound(spec) && spec.attribute === undefined) {
      throw invalid("", "give devices or an `attribute`: all changes of all devices are too many");
    }
  },
  contextKeys: [...DEVICE_CONTEXT_KEYS, "previous", "change"],
  interests: (spec) => deviceInterests("device_state_changed", spec),
  match(spec, envelope, host: Pick<HouseReads, "device">) {
    const event = deviceEventOf("device_state_changed", envelope, { spec, host });
    const changed = event?.changed.find(
      (name) =>
        (spec.attribute === undefined || spec.attribute === name) &&
        (Object.hasOwn(event.current, name) || spec.to !== undefined) &&
        matchesNow(spec, present(event.current, name)) &&
        matchedBefore(spec, present(event.previous, name)),
    );
    if (!event || changed === undefined || !isCausedSo(spec, event.change)) return undefined;
    return {
      ...deviceContext(host, event.device_id),
      attribute: changed,
      value: present(event.current, changed),
      previous: present(event.previous, changed),
      ...changeContext(event.change),
    };
  },
  hold: {
    durationMs: (spec) => (spec.for_duration_secs === undefined ? undefined : msOf(spec.for_duration_secs)),
    // With `to` or `not_to`, a change to another wanted value does not end it. Otherwise any change does.
    stillMatches(spec, context, host: Pick<HouseReads, "device">) {
      const attributes = host.device(String(context.device_id))?.attributes;
      if (attributes === undefined) return false;
      const now = present(attributes, String(context.attribute));
      const anyValue = spec.to === undefined && spec.not_to === undefined;
      return anyValue ? jsonEqual(now, context.value) : matchesNow(spec, now);
    },
  },
  example: { device_ids: ["door", "window"], attribute: "open", from: [false, null], to: true, for_duration_secs: 600 },
});

function present(attributes: Readonly<Record<string, unknown>>, name: string): Json {
  return Object.hasOwn(attributes, name) ? (attributes[name] as Json) : null;
}

function matchesNow({ to, not_to }: Wanted, now: Json): boolean {
  return (to === undefined || matchesValue(now, to)) && (not_to === undefined || !matchesValue(now, not_to));
}

function matchedBefore({ from, not_from }: Wanted, before: Json): boolean {
  return (
    (from === undefined || matchesValue(before, from)) && (not_from === undefined || !matchesValue(before, not_from))
  );
}

function isCausedSo({ change_kind, change_source }: Wanted, change: unknown): boolean {
  if (change_kind !== undefined && kindOfChange(change) !== change_kind) return false;
  return change_source === undefined || sourceOfChange(change) === change_source;
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
