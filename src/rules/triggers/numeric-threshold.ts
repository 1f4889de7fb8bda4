// `numeric_threshold`: a number passes a limit. It fires when the limit is passed, and not again while the number stays there.
import { type Static, Type } from "@sinclair/typebox";
import type { Json } from "../../kit/schema/json.ts";
import { changeContext } from "../model/changes.ts";
import { invalid } from "../model/checks.ts";
import { defineTrigger } from "../model/define.ts";
import { DEVICE_CONTEXT_KEYS, deviceContext, deviceEventOf, deviceInterests } from "../model/devices.ts";
import { attribute, forDurationSecs, someDevices } from "../model/fields.ts";
import type { HouseReads } from "../model/host.ts";
import { requireDevices, whichDevices } from "../model/targets.ts";
import { msOf } from "../model/values.ts";

const limit = (description: string) => Type.Optional(Type.Number({ description }));

const fields = {
  ...someDevices,
  attribute,
  above: limit("Is above this and was not before, or was no number; with `below`: enters the range between"),
  below: limit("Is below this and was not before, or was no number; with `above`: enters the range between"),
  crosses_above: limit("Was at most this, and is above it"),
  crosses_below: limit("Was at least this, and is below it"),
  every_change: Type.Optional(
    Type.Boolean({
      description: "With `above` and `below`: fires at every change of the device while the number is beyond the limit",
    }),
  ),
  for_duration_secs: forDurationSecs,
};
type Limits = Static<ReturnType<typeof Type.Object<typeof fields>>>;

export const numericThreshold = defineTrigger({
  type: "numeric_threshold",
  doc: "A number passes a limit. `crosses_above` and `crosses_below` need a number before; `above` and `below` also fire for a device's first report. A value that is not a number never matches.",
  fields,
  label: (spec) => `${whichDevices(spec)}.${spec.attribute} ${limitText(spec)}`,
  check(spec) {
    requireDevices(spec);
    checkLimits(spec);
  },
  contextKeys: [...DEVICE_CONTEXT_KEYS, "previous", "change"],
  interests: (spec) => deviceInterests("device_state_changed", spec),
  match(spec, envelope, host: Pick<HouseReads, "device">) {
    const event = deviceEventOf("device_state_changed", envelope, { spec, host });
    if (!event || !(spec.every_change || event.changed.includes(spec.attribute))) return undefined;
    const value = event.current[spec.attribute] as Json | undefined;
    const previous = event.previous[spec.attribute] as Json | undefined;
    if (typeof value !== "number" || !passes(spec, value, previous)) return undefined;
    const context = { ...deviceContext(host, event.device_id), attribute: spec.attribute, value };
    return { ...context, previous: previous ?? null, ...changeContext(event.change) };
  },
  hold: {
    durationMs: (spec) => (spec.for_duration_secs === undefined ? undefined : msOf(spec.for_duration_secs)),
    stillMatches(spec, context, host: Pick<HouseReads, "device">) {
      const now = host.device(String(context.device_id))?.attributes[spec.attribute];
      return typeof now === "number" && isBeyond(spec, now, context.value as number);
    },
  },
  example: {
    device_id: "sensor",
    attribute: "temperature",
    crosses_above: 25,
    crosses_below: 18.5,
    for_duration_secs: 120,
  },
});

function checkLimits({ above, below, crosses_above, crosses_below, every_change }: Limits): void {
  const isBand = above !== undefined || below !== undefined;
  const isCrossing = crosses_above !== undefined || crosses_below !== undefined;
  if (isBand === isCrossing) {
    throw invalid("", "give `above`, `below` or both; or `crosses_above`, `crosses_below` or both");
  }
  if (every_change && !isBand) throw invalid("every_change", "is for `above` and `below`: a limit is crossed once");
  if (above !== undefined && below !== undefined && above >= below) {
    throw invalid(
      "above",
      `no number is above ${above} and below ${below}: for values outside a range write two triggers`,
    );
  }
}

function isWithin({ above, below }: Limits, value: number): boolean {
  return (above === undefined || value > above) && (below === undefined || value < below);
}

function passes(spec: Limits, value: number, previous: Json | undefined): boolean {
  const { above, below, crosses_above, crosses_below } = spec;
  if (above !== undefined || below !== undefined) {
    return isWithin(spec, value) && (spec.every_change || !(typeof previous === "number" && isWithin(spec, previous)));
  }
  if (typeof previous !== "number") return false;
  const upwards = crosses_above !== undefined && previous <= crosses_above && value > crosses_above;
  return upwards || (crosses_below !== undefined && previous >= crosses_below && value < crosses_below);
}

/** Still on the same side of the limit as when it matched. */
function isBeyond(spec: Limits, now: number, matched: number): boolean {
  const { crosses_above, crosses_below } = spec;
  if (crosses_above !== undefined && matched > crosses_above) return now > crosses_above;
  if (crosses_below !== undefined && matched < crosses_below) return now < crosses_below;
  return isWithin(spec, now);
}

function limitText({ above, below, crosses_above, crosses_below, for_duration_secs }: Limits): string {
  const limits = [
    above === undefined ? "" : `above ${above}`,
    below === undefined ? "" : `below ${below}`,
    crosses_above === undefined ? "" : `crosses above ${crosses_above}`,
    crosses_below === undefined ? "" : `crosses below ${crosses_below}`,
  ].filter(Boolean);
  const joined = limits.join(crosses_above === undefined ? " and " : " or ");
  return `${joined}${for_duration_secs ? ` for ${for_duration_secs} s` : ""}`;
}
