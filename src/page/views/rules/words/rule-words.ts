// Values, times, attributes and devices as words, for the sentences about rules.

import { nounFor, senseInWords, senseOf } from "../../../model/device/attribute-words.ts";
import { propertyOf } from "../../../model/device/device.ts";
import type { Json } from "../../../model/device/json.ts";
import { partInWords } from "../../../model/device/kinds.ts";
import type { Property } from "../../../model/device/schema.ts";
import { isReported, meaningOf, partOf } from "../../../model/device/sensor-words.ts";
import type { Fields } from "../../../model/rules/rule.ts";
import {
  attributeWords,
  devicesOf,
  isolated,
  listed,
  quoted,
  text,
  typeWords,
} from "../../../model/rules/rule-text.ts";
import { devices } from "../../../state/house/devices.ts";
import type { TextKey } from "../../../texts/catalogue.ts";
import { formatNumber, t, textFor } from "../../../texts/index.ts";
import { deviceName, nameOf } from "./rule-names.ts";

/** Kinds with sentences of their own, and those that share one. */
const SENTENCES: Readonly<Record<string, string>> = {
  ...{ on: "on", open: "open", locked: "locked", motion: "motion", presence: "motion" },
};

/** An event of a calendar: any, or one with this in its title. */
export function eventWords(title: Json | undefined): string {
  return title === undefined || title === null ? t("rule.any_event") : t("rule.event", { title: quoted(title) });
}

/** `Hall lamp and Desk lamp`, `every light in Hall`, `any device`. */
export function targetWords(spec: Fields, type?: "conjunction" | "disjunction"): string {
  const { area, tag, device_type: kind } = spec;
  if (area === undefined && tag === undefined && kind === undefined) return deviceWords(devicesOf(spec), type);
  const either = (value: Json, inWords: (one: string) => string): string =>
    listed(
      [value].flat().map((one) => inWords(text(one))),
      "disjunction",
    );
  const things = kind === undefined || kind === null ? t("rule.devices") : either(kind, typeWords);
  return [
    t(type === "disjunction" ? "rule.any_of" : "rule.all_of", { things }),
    ...(area === undefined || area === null
      ? []
      : [t("rule.in_area", { area: either(area, (id) => nameOf("area", id)) })]),
    ...(tag === undefined || tag === null ? [] : [t("rule.tagged", { tag: either(tag, isolated) })]),
  ].join(" ");
}

export function deviceWords(ids: readonly string[] | undefined, type?: "conjunction" | "disjunction"): string {
  return ids === undefined ? t("rule.any_device") : listed(ids.map(deviceName), type);
}

/** `temperature of Thermostat`; the device alone where it is about one thing only, such as a door. */
export function attributeOf(
  ids: readonly string[] | undefined,
  attribute: string,
  device = deviceWords(ids, "disjunction"),
): string {
  const property = propertyIn(ids?.[0], attribute);
  const { word = "" } = meaningOf(attribute, property) ?? {};
  if (Object.hasOwn(SENTENCES, word) || isReported(word)) return withPart(device, attribute, property);
  return t("rule.of", { attribute: attributeWords(attribute), device });
}

/** Where it is not known, the name says what it means. */
function propertyIn(id: string | undefined, attribute: string): Property {
  const device = id === undefined ? undefined : devices.value.get(id)?.peek();
  return device ? propertyOf(device, attribute) : {};
}

function withPart(device: string, attribute: string, property: Property): string {
  const part = partOf(attribute, property);
  return part === undefined ? device : `${device} (${partInWords(part)})`;
}

/** `21.4 °C`, `yes`, `24 %`; of a list its items with "or". */
export function valueWords(value: Json | undefined, about: { device?: string; attribute?: string } = {}): string {
  if (Array.isArray(value))
    return listed(
      value.map((one) => valueWords(one, about)),
      "disjunction",
    );
  if (typeof value === "boolean") return stateOf(value, about);
  if (typeof value !== "number") return value === null ? t("rules.no_value") : quoted(value);
  const property = propertyIn(about.device, about.attribute ?? "");
  if (about.attribute === "brightness" && (property.maximum === undefined || property.maximum === 254))
    return `${formatNumber((value / 254) * 100, 0)} %`;
  const unit = property.unit ?? (/_pct$/.test(about.attribute ?? "") ? "%" : "");
  return unit === "" ? formatNumber(value) : `${formatNumber(value)}\u00a0${unit}`;
}

/** `open`; in quotes what is no word for a thing: the alarm was “no smoke”. */
function stateOf(value: boolean, { device, attribute = "" }: { device?: string; attribute?: string }): string {
  const property = propertyIn(device, attribute);
  const own = senseInWords(attribute, value, property);
  if (own === undefined) return t(value ? "state.yes" : "state.no");
  return /^(on|open|locked)$/.test(meaningOf(attribute, property)?.word ?? "")
    ? own
    : t("found.quoted", { value: own });
}

/** `{device} opens`, `{device} reports smoke`; undefined where the attribute has no words of its own for this value. */
export function stateWords(
  tense: "turn" | "is" | "did",
  { who, ids, attribute, value }: { who: string; ids?: readonly string[]; attribute: string; value: Json | undefined },
): string | undefined {
  const property = propertyIn(ids?.[0], attribute);
  const sense = senseOf(attribute, value, property);
  if (sense === undefined) return undefined;
  const device = withPart(who, attribute, property);
  const { kind, is } = sense;
  const own = Object.hasOwn(SENTENCES, kind) ? SENTENCES[kind] : undefined;
  if (own !== undefined) return t(`${tense}.${own}.${is}` as TextKey, { device });
  return isReported(kind) ? t(`${tense}.reported.${is}`, { device, what: nounFor(kind) }) : undefined;
}

/** `is above 21 °C`, or shorter `above 21 °C`. */
export function comparison(
  form: "op" | "wanted",
  { op = "Eq", value }: Fields,
  about?: { device?: string; attribute?: string },
): string {
  const key = `${form}.${text(op)}`;
  const shown = { value: valueWords(value, about) };
  return textFor(key) === undefined ? `${text(op)} ${shown.value}` : t(key as TextKey, shown);
}
