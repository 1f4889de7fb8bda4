// Texts with placeholders in actions that send them on themselves. What has no value becomes "unknown", and is never an
// error: the rest of the text arrives.
import { isObject, type Json } from "../../kit/schema/json.ts";
import { localText } from "../../kit/text/formats.ts";
import { createLookup, fillTemplate } from "../../kit/text/template.ts";
import type { Scope } from "./define.ts";
import type { HouseReads } from "./host.ts";

/** What `filled` takes of the house. */
export type FillUses = "device" | "variable" | "now" | "zone";

export interface Filled<T> {
  readonly value: T;
  /** The placeholders without a value, with the reason where there is one. */
  readonly unknown: readonly string[];
}

/** Also the texts within lists and tables. `{{…}}` that are none of ours stay: the text may be a template of somebody else. */
export function filled<T extends Json>(
  value: T,
  { host, deviceId, trigger, vars, evaluate }: Scope<Pick<HouseReads, FillUses>>,
): Filled<T> {
  const now = (): string => localText(host.now(), host.zone.name).datetime;
  const house = { device: host.device, variable: host.variable, now, timezone: host.zone.name };
  const look = createLookup(house, { deviceId, trigger, vars, evaluate });
  const unknown: string[] = [];
  const filling = {
    onlyOwn: true,
    onUnknown: (source: string, reason?: string) =>
      void unknown.push(`{{${source}}}${reason === undefined ? "" : `: ${reason}`}`),
  };
  const fill = (one: Json): Json => {
    if (typeof one === "string") return textOf(fillTemplate(one, look, filling));
    if (Array.isArray(one)) return one.map(fill);
    return isObject(one)
      ? Object.fromEntries(Object.entries(one).map(([key, item]) => [key, fill(item as Json)]))
      : one;
  };
  return { value: fill(value) as T, unknown };
}

/** For the trace, behind what was sent. */
export function unknownText({ unknown }: Filled<Json>): string {
  return unknown.length === 0 ? "" : ` (without a value: ${unknown.join("; ")})`;
}

function textOf(pieces: ReturnType<typeof fillTemplate>): string {
  return pieces.map((piece) => ("markup" in piece ? piece.markup : piece.value)).join("");
}
