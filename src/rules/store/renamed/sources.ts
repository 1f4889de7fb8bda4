// Where a rule speaks of attributes, and of which devices: in fields of triggers, conditions and actions, in expressions, and in
// messages.
import type { TSchema } from "@sinclair/typebox";
import { isObject } from "../../../kit/schema/json.ts";
import { parseImageSource } from "../../../kit/text/image-source.ts";
import { firstDeviceOf } from "../../model/devices.ts";
import { CEL, IMAGE } from "../../model/fields.ts";
import type { HouseReads } from "../../model/host.ts";
import { devicesOf, isFound, resolveDevices, type SomeDevices } from "../../model/targets.ts";
import { attributesIn } from "../../read/named-attributes.ts";
import { rewriteRule } from "../../read/references.ts";
import { Rule } from "../../read/rule.ts";
import { templatesAt } from "../../read/templates.ts";
import { type Place, under } from "../../read/walk.ts";
import { type About, usesInExpression, usesInTemplate } from "./uses.ts";

/** An attribute's name, and the devices whose attribute it is, as the house is now. */
export interface AttributeUse {
  start: number;
  end: number;
  name: string;
  devices: readonly string[];
}

/** One text of a rule. */
export interface Source {
  /** Dotted path in the rule. */
  path: string;
  text: string;
  /** The text is the last key of the path. */
  isKey?: boolean;
  /** In this text, or in another way to write it. */
  find(text: string): AttributeUse[];
}

export interface SourceOptions {
  host: Pick<HouseReads, "devices">;
  /** The device that an expression calls by this name. */
  idOf(name: string): string | undefined;
  /** The attributes that are looked for. */
  names: ReadonlySet<string>;
}

/** Of a rule that names devices by their ids, but for expressions. */
export function sourcesOf(rule: Rule, { host, idOf, names }: SourceOptions): Source[] {
  const any = (): string[] => [...host.devices()].map(({ id }) => id);
  const some = (spec: SomeDevices): readonly string[] =>
    devicesOf(spec) !== undefined || isFound(spec) ? resolveDevices(spec, host) : any();

  function devicesAbout(about: About): readonly string[] {
    if (about === "any") return any();
    if (about === "trigger") return triggering(rule, some);
    return [idOf(about.device) ?? about.device];
  }

  const finding = (find: typeof usesInExpression) => (text: string) =>
    find(text, names).map(({ about, ...use }): AttributeUse => ({ ...use, devices: devicesAbout(about) }));

  function sourcesAt(place: Place): Source[] {
    const { schema, value, path } = place;
    if (isObject(value) && schema.properties) return fieldsOf(schema, value, path);
    const templates = templatesAt(place).map((one): Source => ({ ...one, find: finding(usesInTemplate) }));
    if (schema.contentMediaType !== CEL || typeof value !== "string") return templates;
    return [{ path, text: value, find: finding(usesInExpression) }];
  }

  function fieldsOf(schema: TSchema, value: Readonly<Record<string, unknown>>, path: string): Source[] {
    return Object.entries(schema.properties as Record<string, TSchema>).flatMap(([key, field]): Source[] => {
      const find = (name: string): AttributeUse[] =>
        names.has(name) ? [{ start: 0, end: name.length, name, devices: some(value as SomeDevices) }] : [];
      const text = value[key];
      if (field[IMAGE] && typeof text === "string") return [{ path: under(path, key), text, find: usesInImage }];
      return attributesIn(field, text, under(path, key)).map(({ name, ...place }) => ({ ...place, text: name, find }));
    });
  }

  /** `device:porch/snapshot_url` */
  function usesInImage(text: string): AttributeUse[] {
    const source = parseImageSource(text);
    if ("problem" in source || source.kind !== "device" || !names.has(source.attribute ?? "")) return [];
    const { id, attribute: name = "" } = source;
    return [{ start: text.length - name.length, end: text.length, name, devices: [id] }];
  }

  const found: Source[] = [];
  rewriteRule({ schema: Rule, value: rule, path: "" }, (place) => {
    found.push(...sourcesAt(place));
    return place.value;
  });
  return found;
}

/** The devices that may trigger the rule: those of its triggers; where none is about a device, that of its conditions. */
function triggering({ triggers, conditions }: Rule, some: (spec: SomeDevices) => readonly string[]): readonly string[] {
  const about = triggers.filter(({ type }) => /^(?:device_|numeric_|button_)/.test(type));
  const first = firstDeviceOf(conditions);
  if (about.length === 0) return first === undefined ? [] : [first];
  return [...new Set(about.flatMap((trigger) => some(trigger as SomeDevices)))];
}
