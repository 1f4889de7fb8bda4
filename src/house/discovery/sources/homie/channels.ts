// The attributes of a Homie device: each property under its own name, and beside it the shared word that it is.
import type { Json } from "../../../../kit/schema/json.ts";
import type { Attribute } from "../../described.ts";
import { type Conversion, celsiusOf, kelvinOf, RGB, SAME } from "../../words.ts";
import type { HomieDescription, HomieNode, HomieProperty } from "./description.ts";
import { type Codec, codecOf, shownColor } from "./payload.ts";
import { asName, classOf, isUnsaid, unitOf, wordOf } from "./senses.ts";

export interface Channel {
  attribute: Attribute;
  property: HomieProperty;
  /** Below the topic of the device: `lights_0/power`. */
  place: string;
  decode(text: string): Json | undefined;
  /** Throws HubError `invalid`. */
  encode(value: Json): string;
  /** Each message is one, beside or in place of a value. */
  isEvent: boolean;
  isState: boolean;
}

interface Found {
  node: HomieNode;
  property: HomieProperty;
  codec: Codec;
  unit: string | undefined;
  word: string | undefined;
}

/** Attributes that the hub itself adds. */
const TAKEN = ["action", "device_alert"];

export function channelsOf(description: HomieDescription): Channel[] {
  const found = description.nodes.flatMap((node) =>
    node.properties.map((property): Found => {
      const codec = codecOf(property, description.version);
      const unit = codec.attribute.unit ?? unitOf(property, node);
      return {
        node,
        property,
        codec,
        unit,
        word: wordOf(property, node, { ...codec.attribute, ...(unit && { unit }) }),
      };
    }),
  );
  const names = new Names(found);
  return found.flatMap((one) => channelOf(one, names, description));
}

function channelOf(found: Found, names: Names, { isRetainedUnsure }: HomieDescription): Channel[] {
  const { node, property, codec, unit, word } = found;
  const { name, part } = names.own(found);
  const kind = classOf(property, node, unit);
  const isMomentary = !property.retained && ["boolean", "enum", "string"].includes(property.datatype);
  const label = names.labelOf(found);
  const isWord = word !== undefined && isSameAs(word, found);
  const own: Channel = {
    attribute: {
      // A word stays what it is when new firmware measures in another range.
      ...{ name, ids: [idOf(found, isWord ? word : undefined)], ...codec.attribute },
      ...(unit !== undefined && { unit }),
      ...(kind !== undefined && { class: kind }),
      ...(part !== undefined && { part }),
      ...(label !== undefined && { description: label }),
      ...{ readable: true, writable: property.settable },
      ...(isWord && { word }),
    },
    ...{ property, place: `${node.id}/${property.id}` },
    decode: codec.decode,
    encode: (value) => codec.encode(value, name),
    isEvent: isMomentary,
    isState: !isMomentary || property.settable || isRetainedUnsure,
  };
  return word === undefined || isWord
    ? [own]
    : [own, derivedOf(own, names.word(found, word), conversionOf(word, found))];
}

function derivedOf(
  own: Channel,
  { name, word, part }: { name: string; word: string; part: string | undefined },
  conversion: Conversion,
): Channel {
  const { attribute } = own;
  return {
    ...own,
    attribute: {
      ...{ type: attribute.type, ...conversion.attribute, name, word, ids: [`${own.place}#${word}`] },
      ...(part !== undefined && { part }),
      ...{ of: attribute.name, readable: true, writable: true, derived: true },
    },
    isEvent: false,
    decode(text) {
      const value = own.decode(text);
      return value === undefined ? undefined : conversion.from(value);
    },
    encode: (value) => own.encode(conversion.to(value, name)),
  };
}

const idOf = ({ node, property }: Found, word: string | undefined): string =>
  `${node.id}/${property.id}${word === undefined ? "" : `#${word}`}`;

/** Whether the property is the word as it is. */
function isSameAs(word: string, { codec: { attribute }, unit }: Found): boolean {
  const { min, max } = attribute;
  if (word === "brightness_pct") return min === 0 && max === 100;
  if (word === "color_temp_k") return unit === "K";
  if (word === "target_temperature") return unit === "°C";
  return word !== "color_rgb";
}

function conversionOf(word: string, { property, codec: { attribute } }: Found): Conversion {
  const { min = 0, max = 100, step } = attribute;
  if (word === "color_temp_k") return kelvinOf(min, max);
  if (word === "target_temperature") return celsiusOf(attribute);
  if (word === "color_rgb") return { ...RGB, from: shownColor };
  if (word !== "brightness_pct") return SAME;
  const percent = { type: "number", unit: "%", min: 0, max: 100 } as const;
  const isWhole = property.datatype === "integer" && step === 1;
  return {
    attribute: percent,
    from: (value) => (typeof value === "number" ? Math.round((value / max) * 100) : undefined),
    to(value, name) {
      const share = (SHARE.encode(value, name) / 100) * max;
      return isWhole ? Math.round(share) : share;
    },
  };
}

const SHARE = {
  encode(value: Json, name: string): number {
    const codec = codecOf({ ...PERCENT, id: name }, 5);
    return Number(codec.encode(value, name));
  },
};
const PERCENT: HomieProperty = {
  ...{ id: "", name: undefined, datatype: "float", format: "0:100", unit: "%", settable: true, retained: true },
};

/** Readable and each once: the property's id where that is the only one, else with its node's; what is a shared word has its name. */
class Names {
  readonly #found: readonly Found[];
  readonly #used = new Set(TAKEN);
  readonly #several: ReadonlySet<string>;
  readonly #labels: ReadonlySet<string>;

  constructor(found: readonly Found[]) {
    this.#found = found;
    this.#several = twice(found.map((one) => plainName(one)));
    this.#labels = twice(found.map(({ property }) => property.name ?? ""));
    // What is a word of the house is its name before anything else is.
    for (const word of new Set(found.flatMap((one) => one.word ?? []))) this.#used.add(word);
  }

  own(one: Found): { name: string; part: string | undefined } {
    const { node, word } = one;
    if (word !== undefined && isSameAs(word, one)) return this.word(one, word);
    const plain = plainName(one);
    const isOne = !this.#several.has(plain);
    const name = this.#free(isOne ? plain : longName(one), longName(one));
    return { name, part: isOne || isUnsaid(one.property.id) ? undefined : asName(node.id) };
  }

  /** The first of a word has its name alone. */
  word(one: Found, word: string): { name: string; word: string; part: string | undefined } {
    const all = this.#found.filter((other) => other.word === word);
    if (all[0] === one) return { name: word, word, part: undefined };
    const inNode = all.filter(({ node }) => node === one.node).length > 1;
    const part = inNode ? longName(one) : asName(one.node.id);
    const name = this.#free(`${word}_${part}`, `${word}_${longName(one)}`);
    return { name, word, part: name.slice(word.length + 1) };
  }

  labelOf({ node, property }: Found): string | undefined {
    const { name } = property;
    return name !== undefined && this.#labels.has(name) ? `${node.name ?? node.id} ${name}` : name;
  }

  #free(wanted: string, longer: string): string {
    for (let number = 1; ; number++) {
      const name = number === 1 ? wanted : number === 2 ? longer : `${longer}_${number - 1}`;
      if (this.#used.has(name)) continue;
      this.#used.add(name);
      return name;
    }
  }
}

const plainName = ({ node, property }: Found): string => {
  const name = asName(isUnsaid(property.id) ? node.id : property.id);
  return name === "" || name === "constructor" || name === "prototype" ? longName({ node, property }) : name;
};

const longName = ({ node, property }: Pick<Found, "node" | "property">): string =>
  [asName(node.id), asName(property.id)].filter((one) => one !== "").join("_") || "property";

function twice(all: readonly string[]): ReadonlySet<string> {
  const seen = new Set<string>();
  return new Set(all.filter((one) => seen.has(one) || !seen.add(one)));
}
