// One attribute of a component (`switch:0`, `cover:0`, …) of a Shelly, and what all kinds of components have in common.
import { isObject, type Json, type JsonObject } from "../../../../../kit/schema/json.ts";
import type { Attribute } from "../../../described.ts";
import { numberIn, within } from "../../../numbers.ts";
import { type Conversion, wrong } from "../../../words.ts";

export interface Component {
  /** `switch:0` */
  key: string;
  kind: string;
  id: number;
  status: JsonObject;
  config: JsonObject;
  /** `on`, or `on_1` where there are several of the kind. */
  named(name: string): string;
}

/** A method and its parameters. */
export interface Call {
  method: string;
  params: JsonObject;
}

export interface Value {
  attribute: Attribute;
  /** Undefined where the component's status says nothing of it. */
  decode?(status: JsonObject): Json | undefined;
  /** `name`: of the attribute, for the error. Throws HubError `invalid`. */
  encode?(value: Json, name: string): Call;
}

/** The attributes of a component. */
export type Kind = (component: Component) => Value[];

type Encode = (value: Json, name: string) => Call;

export function at(status: JsonObject, path: readonly string[]): Json | undefined {
  let value: Json | undefined = status;
  for (const name of path) value = isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  return value;
}

export function truth(name: string, path: readonly string[], encode?: Encode, more: Partial<Attribute> = {}): Value {
  return {
    attribute: { name, type: "boolean", ...more, readable: true, writable: encode !== undefined },
    decode(status) {
      const value = at(status, path);
      return typeof value === "boolean" ? value : undefined;
    },
    ...(encode && { encode }),
  };
}

export function number(name: string, path: readonly string[], more: Partial<Attribute>, encode?: Encode): Value {
  return {
    attribute: { name, type: "number", ...more, readable: true, writable: encode !== undefined },
    decode: (status) => numberIn(at(status, path)),
    ...(encode && { encode }),
  };
}

export function text(name: string, path: readonly string[], more: Partial<Attribute> = {}): Value {
  return {
    attribute: { name, type: "string", ...more, readable: true, writable: false },
    decode(status) {
      const value = at(status, path);
      return typeof value === "string" ? value : undefined;
    },
  };
}

/** A number that can be set; `call`: with the checked one. */
export function setting(
  { name, path, min, max, unit }: { name: string; path: readonly string[]; min: number; max: number; unit?: string },
  call: (value: number) => Call,
): Value {
  const more = { min, max, ...(unit !== undefined && { unit }) };
  return number(name, path, more, (value, own) => call(within(own, value, { min, max })));
}

/** One that is only commanded: the names of what can be done. */
export function command(name: string, calls: Readonly<Record<string, Call>>): Value {
  const options = Object.keys(calls);
  return {
    attribute: { name, type: "string", options, readable: false, writable: true },
    encode(value, own) {
      const call = typeof value === "string" && Object.hasOwn(calls, value) ? calls[value] : undefined;
      if (!call) throw wrong(own, `must be one of ${options.join(", ")}`);
      return call;
    },
  };
}

/** The same in one of the words that all devices share. */
export function inWord({ attribute, decode, encode }: Value, name: string, conversion: Conversion): Value {
  const { type, unit, min, max, readable, writable } = attribute;
  const range = {
    type,
    ...(unit !== undefined && { unit }),
    ...(min !== undefined && { min }),
    ...(max !== undefined && { max }),
  };
  return {
    attribute: { ...range, ...conversion.attribute, name, readable, writable, derived: true, of: attribute.name },
    ...(decode && {
      decode(status) {
        const own = decode(status);
        return own === undefined ? undefined : conversion.from(own);
      },
    }),
    ...(encode && { encode: (value, own) => encode(conversion.to(value, own), own) }),
  };
}

/** What flows through it, as far as its status has it. */
export function measured({ named, status }: Component): Value[] {
  const found: Value[] = [];
  const add = (key: string, name: string, unit: string, kind?: string): void => {
    const more = { ...(unit !== "" && { unit }), ...(kind !== undefined && { class: kind }) };
    if (Object.hasOwn(status, key)) found.push(number(named(name), [key], more));
  };
  add("apower", "power", "W", "power");
  add("act_power", "power", "W", "power");
  add("aprt_power", "apparent_power", "VA");
  add("voltage", "voltage", "V", "voltage");
  add("current", "current", "A", "current");
  add("pf", "pf", "");
  add("freq", "freq", "Hz");
  const energy = { unit: "Wh", class: "energy" };
  if (isObject(status.aenergy)) found.push(number(named("energy"), ["aenergy", "total"], energy));
  if (isObject(status.ret_aenergy)) found.push(number(named("energy_returned"), ["ret_aenergy", "total"], energy));
  if (isObject(status.temperature))
    found.push(
      number(named("device_temperature"), ["temperature", "tC"], {
        ...{ unit: "°C", class: "temperature", category: "diagnostic" },
      }),
    );
  return found;
}

/** `on`, written with METHOD.Set and METHOD.Toggle. */
export function onOff(method: string, { id, named }: Component): Value {
  return truth(named("on"), ["output"], (value, name): Call => {
    if (value === "toggle") return { method: `${method}.Toggle`, params: { id } };
    if (typeof value !== "boolean") throw wrong(name, 'must be true, false or "toggle"');
    return { method: `${method}.Set`, params: { id, on: value } };
  });
}
