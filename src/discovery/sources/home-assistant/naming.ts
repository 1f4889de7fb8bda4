// Attributes of all entities of a device, put together: what two entities say of the same value is one attribute, and what is
// called the same but is something else gets a name of its own.
import type { Json } from "../../../core/json.ts";
import type { DescribedAttribute, Reading } from "./entity.ts";

/** As a component describes it. */
export interface FoundAttribute extends DescribedAttribute {
  component: string;
}

const LONGEST_NAME = 100;
// Names that mean something else to JavaScript.
const RESERVED: ReadonlySet<string> = new Set(["__proto__", "constructor", "prototype"]);

export function named(found: readonly FoundAttribute[]): Map<string, FoundAttribute> {
  const attributes = new Map<string, FoundAttribute>();
  const own = found.filter(({ attribute }) => !attribute.derived);
  const all = own.map(usable);
  const taken = new Set(all.map(({ attribute }) => attribute.name));
  // What is read keeps its name rather than what is only commanded.
  for (const given of [...all.filter(isRead), ...all.filter((one) => !isRead(one))]) {
    const { prefers } = given;
    const one = prefers !== undefined && !taken.has(prefers) ? renamed(given, prefers) : given;
    const { name } = one.attribute;
    const known = attributes.get(name);
    if (!known) attributes.set(name, one);
    else if (isSame(known, one)) attributes.set(name, merged(known, one));
    else {
      const free = freeName(attributes, `${name}_${one.component}`);
      attributes.set(free, renamed(one, free));
    }
  }
  // What is only derived gives way to what the device calls the same.
  for (const one of found)
    if (one.attribute.derived && !attributes.has(one.attribute.name)) attributes.set(one.attribute.name, one);
  return attributes;
}

const isRead = ({ readings }: DescribedAttribute): boolean => readings.length > 0;

function usable(one: FoundAttribute): FoundAttribute {
  const { name } = one.attribute;
  const clean = name.replace(/\p{Cc}+/gu, "_").slice(0, LONGEST_NAME) || one.component;
  const safe = RESERVED.has(clean) ? `${one.component}_${clean}` : clean;
  return safe === name ? one : renamed(one, safe);
}

function isSame(a: FoundAttribute, b: FoundAttribute): boolean {
  const [first, second] = [a.readings[0], b.readings[0]];
  if (first && second) return first.topic === second.topic && sourceOf(first) === sourceOf(second);
  // One reads what the other commands.
  return Boolean(first ?? second) && a.attribute.type === b.attribute.type;
}

const sourceOf = ({ path, template = "" }: Reading): string => (path ? JSON.stringify(path) : template);

/** What can be commanded, and what is a boolean, says more. */
function merged(a: FoundAttribute, b: FoundAttribute): FoundAttribute {
  const richer = rank(b) > rank(a) ? b : a;
  const other = richer === a ? b : a;
  const readings = richer.readings.length > 0 ? richer.readings : other.readings;
  const commanded = richer.commanded ?? other.commanded;
  const also = richer.also ?? other.also;
  const expires = richer.expires ?? other.expires;
  return {
    attribute: {
      ...other.attribute,
      ...richer.attribute,
      readable: readings.length > 0,
      writable: commanded !== undefined,
    },
    ...{ readings, commanded, component: richer.component, ...(also && { also }), ...(expires && { expires }) },
  };
}

const rank = ({ attribute, commanded, also }: DescribedAttribute): number =>
  Number(attribute.type === "boolean") * 4 + Number(commanded !== undefined) * 2 + Number(also !== undefined);

function freeName(attributes: ReadonlyMap<string, unknown>, name: string): string {
  if (!attributes.has(name)) return name;
  for (let number = 2; ; number++) if (!attributes.has(`${name}_${number}`)) return `${name}_${number}`;
}

export function renamed<T extends DescribedAttribute>(one: T, name: string): T {
  const { attribute, commanded } = one;
  return {
    ...one,
    attribute: { ...attribute, name },
    commanded: commanded && { write: (wanted) => commanded.write({ [attribute.name]: wanted[name] as Json }) },
  };
}
