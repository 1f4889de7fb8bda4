// What a group says of its members: one value of each attribute, one description, one type.
import { isObject, type Json, type JsonObject } from "../../../kit/schema/json.ts";
import { isBatteryAttribute } from "../battery.ts";
import { type Device, isMinor } from "../device.ts";

export type Member = Pick<Device, "attributes" | "details" | "deviceType">;

/**
 * Two-valued: true if it is for any, and for all where it is `locked`, or true while closed. Numbers: the mean. Other values: what all have. Settings,
 * batteries and numbers of unlike units are left out.
 */
export function commonAttributes(members: readonly Device[]): JsonObject {
  const values = new Map<string, Json[]>();
  for (const member of members) {
    for (const [name, value] of Object.entries(member.attributes)) {
      if (value === null || value === undefined || isBatteryAttribute(name) || isMinor(member, name)) continue;
      const known = values.get(name);
      if (known) known.push(value);
      else values.set(name, [value]);
    }
  }
  const common = [...values].map(([name, known]) => {
    const described = descriptionsOf(members, name);
    const isLike = new Set(described.map(({ unit }) => unit)).size <= 1;
    const isOfAll = /^(locked|contact)(_|$)/.test(name) || described.some(({ inverted }) => inverted === true);
    return [name, isLike ? commonValue(known, isOfAll) : undefined];
  });
  return Object.fromEntries(common.filter(([, value]) => value !== undefined));
}

function commonValue(values: readonly Json[], isOfAll: boolean): Json | undefined {
  if (values.every((value) => typeof value === "boolean"))
    return isOfAll ? values.every(Boolean) : values.some(Boolean);
  if (values.every((value) => typeof value === "number")) return mean(values);
  return values.every((value) => typeof value === "string" && value === values[0]) ? values[0] : undefined;
}

function mean(values: readonly number[]): number {
  const sum = values.reduce((total, value) => total + value, 0);
  return Math.round((sum / values.length) * 100) / 100;
}

/** The type that all have; "group" where they differ. */
export function commonType(members: readonly Member[], ownTypes: ReadonlySet<string>): string {
  const types = new Set(members.map(({ deviceType }) => deviceType));
  const [type] = types;
  return types.size === 1 && type !== undefined && !ownTypes.has(type) ? type : "group";
}

/** JSON Schema of all that a member describes, with what every member accepts. Undefined where none describes anything. */
export function commonSchema(members: readonly Member[]): JsonObject | undefined {
  const names = new Set(members.flatMap(({ details }) => Object.keys(propertiesOf(details))));
  const described = [...names].flatMap((name): [string, JsonObject][] => {
    if (isBatteryAttribute(name)) return [];
    const common = commonDescription(descriptionsOf(members, name));
    return common ? [[name, common]] : [];
  });
  return described.length > 0 ? { type: "object", properties: Object.fromEntries(described) } : undefined;
}

function commonDescription(all: readonly JsonObject[]): JsonObject | undefined {
  const [first] = all;
  if (!first || all.some(({ category, hidden }) => category !== undefined || hidden === true)) return undefined;
  const isLike = (key: string): boolean => all.every((one) => JSON.stringify(one[key]) === JSON.stringify(first[key]));
  if (!isLike("type") || !isLike("unit")) return undefined;
  // What a member's words are made of is the member's: the group has them from the members' words.
  const { sensed, of, reported_as: reportedAs, ...described } = first;
  const { minimum: _, maximum: __, enum: ___, readOnly: ____, ...common } = described;
  const minimum = Math.max(...numbersIn(all, "minimum"));
  const maximum = Math.min(...numbersIn(all, "maximum"));
  if (minimum > maximum) return undefined;
  const options = commonOptions(all);
  if (options?.length === 0) return undefined;
  return {
    ...common,
    ...(Number.isFinite(minimum) && { minimum }),
    ...(Number.isFinite(maximum) && { maximum }),
    ...(options && { enum: options }),
    ...(all.every(({ readOnly }) => readOnly === true) && { readOnly: true }),
  };
}

function numbersIn(all: readonly JsonObject[], key: string): number[] {
  return all.map((one) => one[key]).filter((value) => typeof value === "number");
}

function commonOptions(all: readonly JsonObject[]): Json[] | undefined {
  const lists = all.map((one) => one.enum).filter((list) => Array.isArray(list));
  return lists[0]?.filter((option) => lists.every((list) => list.includes(option)));
}

function descriptionsOf(members: readonly Member[], name: string): JsonObject[] {
  return members.flatMap(({ details }) => {
    const properties = propertiesOf(details);
    const found = Object.hasOwn(properties, name) ? properties[name] : undefined;
    return isObject(found) ? [found as JsonObject] : [];
  });
}

function propertiesOf({ schema, capabilities }: Device["details"]): JsonObject {
  const described = [capabilities?.properties, schema?.properties].filter(isObject);
  return Object.assign({}, ...described) as JsonObject;
}
