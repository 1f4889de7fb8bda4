// Names of what no key says: an entity that picks `value`, or that is the whole payload of its topic, is called by its device class
// where the device has one of it, else by its own id without what the device is called; the first thing to switch is `on`.
import { SINGLE } from "./components.ts";
import type { DescribedAttribute } from "./entity.ts";
import { inOwnWord } from "./names.ts";
import { renamed } from "./naming.ts";
import type { Entity } from "./payload.ts";
import { type FoundAttribute, sourceOf } from "./shared-names.ts";

/** Keys that every entity could have. */
const SAYS_NOTHING = /^(?:val(?:ue)?|output|out|data|payload|result|raw|reading|content|msg|message|\w|\d+)$/i;
/** `e3b0c44298fc`, `00158d0001a2b3c4`: numbers of things. */
const IS_NUMBER_OF_THING = /^(?=.*\d)[0-9a-f]{6,}$|^0x[0-9a-f]+$/i;
const IS_NAME = /^[a-z][a-z0-9_]{1,40}$/;
const SAYS = /\p{L}{3}/u;

/** `device`: what it is called, and known by. */
export function readable(found: readonly FoundAttribute[], device: readonly string[]): FoundAttribute[] {
  const unsaid = new Set(found.filter((one) => one.isUnsaid && !isWord(one, "on")));
  if (unsaid.size === 0) return [...found];
  const said = new Set(found.filter((one) => !unsaid.has(one)).map(({ attribute }) => attribute.name));
  const classes = Map.groupBy(unsaid, ({ attribute }) => attribute.class);
  const isOnly = ({ attribute }: FoundAttribute): boolean =>
    new Set(classes.get(attribute.class)?.map((one) => sourceOf(one) ?? one.entity)).size === 1;
  const own = device.map(wordsIn);
  let isOn = found.some((one) => !unsaid.has(one) && isWord(one, "on"));
  return found.map((one) => {
    if (!unsaid.has(one)) return one;
    const { class: kind } = one.attribute;
    const label = labelOf(one, own);
    if (one.component === "switch" && one.attribute.category === undefined) {
      const switched = { ...one, ...inOwnWord(renamed(one, isOn ? `on_${label}` : "on")) };
      isOn = true;
      return switched;
    }
    return renamed(one, kind !== undefined && IS_NAME.test(kind) && isOnly(one) && !said.has(kind) ? kind : label);
  });
}

/** No key or topic of it says what it is. */
export function isUnsaid({ attribute, readings }: DescribedAttribute, { component, config }: Entity): boolean {
  if (!SINGLE.has(component)) return false;
  const picked = readings[0]?.path?.at(-1);
  if (picked !== undefined) return SAYS_NOTHING.test(picked);
  return typeof config.command_topic !== "string" || !config.command_topic.endsWith(`/set/${attribute.name}`);
}

const isWord = ({ attribute, also = [] }: FoundAttribute, word: string): boolean =>
  attribute.word === word || also.some((one) => one.word === word);

/** Its id, else its name, without the words that are the device's; else what it is. */
function labelOf({ id, component, attribute }: FoundAttribute, device: readonly string[][]): string {
  const found = [id, attribute.description ?? ""]
    .map((text) => withoutDevice(wordsIn(text), [[component], ...device, [component]]).join("_"))
    .find((text) => SAYS.test(text));
  if (found !== undefined) return found;
  return attribute.name.length > 1 && SAYS_NOTHING.test(attribute.name) ? component : attribute.name;
}

const wordsIn = (text: string): string[] =>
  text
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== "" && !IS_NUMBER_OF_THING.test(word));

function withoutDevice(words: readonly string[], names: readonly string[][]): string[] {
  let rest = [...words];
  for (const name of names)
    if (name.length > 0 && rest.length > name.length && name.every((word, at) => rest[at] === word))
      rest = rest.slice(name.length);
  return rest;
}
