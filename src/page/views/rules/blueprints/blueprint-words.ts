// What blueprints, their inputs and the rules made of them say, in the reader's language where they are part of the hub.

import type { Json } from "../../../model/device/json.ts";
import { dayWords, duration, isolated, listed } from "../../../model/rules/rule-text.ts";
import { type Blueprint, type BlueprintInput, blueprints, type InputValues } from "../../../state/house/blueprints.ts";
import { deviceList } from "../../../state/house/devices.ts";
import { formatNumber, t, textFor } from "../../../texts/index.ts";
import { known, type Named, nameOf } from "../words/rule-names.ts";

type Of = Pick<Blueprint, "id" | "source">;

function own({ id, source }: Of, rest: string, otherwise: string): string {
  return (source === "shipped" ? textFor(`blueprint.${id}.${rest}`) : undefined) ?? otherwise;
}

export const titleOf = (one: Blueprint): string => own(one, "name", one.name);
export const whatOf = (one: Blueprint): string => own(one, "what", one.description);
export const inputName = (one: Of, input: BlueprintInput): string => own(one, input.id, input.name);
export const inputHint = (one: Of, input: BlueprintInput): string => own(one, `${input.id}.hint`, input.description);

/** `Motion light – Lamps: Hall lamp; Off after: 5 min`. Only what the rule gives itself. */
export function madeSentence(use: string, inputs: InputValues): string {
  const blueprint = blueprints.value.get(use);
  if (!blueprint) return t("blueprints.made_of", { name: isolated(use) });
  const given = blueprint.inputs
    .filter(({ id }) => inputs[id] !== undefined && inputs[id] !== false)
    .map((input) => {
      const value = inputs[input.id] ?? null;
      const name = inputName(blueprint, input);
      return value === true ? name : `${name}: ${valueWords(input, value)}`;
    });
  return [titleOf(blueprint), given.join("; ")].filter(Boolean).join(" – ");
}

const NAMED: ReadonlySet<string> = new Set(["mode", "scene", "area", "channel"]);

function valueWords({ type, schema }: BlueprintInput, value: Json): string {
  if (type === "weekdays") return dayWords(value);
  if (Array.isArray(value)) return listed(value.map((one) => valueWords({ type, schema } as BlueprintInput, one)));
  if (type === "device" || type === "devices") return deviceWords(String(value));
  if (type === "duration") return duration(secondsOf(value) ?? 0);
  if (NAMED.has(type))
    return known.value[type as Named].size > 0 ? nameOf(type as Named, String(value)) : String(value);
  if (typeof value === "number") return [formatNumber(value), schema["x-unit"]].filter(Boolean).join(" ");
  return schema.anyOf?.find((one) => one.const === value)?.title ?? isolated(String(value));
}

function deviceWords(id: string): string {
  return isolated(deviceList.peek().find((one) => one.id === id)?.name ?? id);
}

/** In the order of the form below. */
const SIZES = [86_400, 3600, 60, 1];

const FORM = /^(?:([\d.]+)d)?\s*(?:([\d.]+)h)?\s*(?:([\d.]+)m)?\s*(?:([\d.]+)s)?$/;

/** Of a duration as files have it: `90`, `"5m"`, `"1h30m"`. */
export function secondsOf(value: Json | undefined): number | undefined {
  if (typeof value === "number") return value;
  const match = typeof value === "string" && value !== "" ? FORM.exec(value.trim()) : null;
  if (!match) return undefined;
  const [, ...parts] = match;
  return SIZES.reduce((sum, size, at) => sum + size * Number(parts[at] ?? 0), 0);
}
