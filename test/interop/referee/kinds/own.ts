// What a device's own attribute says: as reported, so that Home Assistant's reading of the same property must be found in it.
import { inTemplate, propertiesOf, type Seen } from "../entities.ts";
import { type Finding, isUnknown, namesIn } from "./finding.ts";

/** The hub's names of a property: its own, or another where a shared word took that one. */
export function ownNames({ hub, entity }: Pick<Seen, "hub" | "entity">, property: string): string[] {
  const known = propertiesOf(hub);
  const names = new Set([...Object.keys(hub.attributes), ...Object.keys(known)]);
  // The on/off `state` of a thing is `on`, a lock's is `locked`, and `on_light` where a fan has the whole.
  const isState = property === "state" || property.startsWith("state_");
  const words = isState ? ["on", "locked", "state"].map((word) => property.replace("state", word)) : [];
  const made = [...names].filter(
    (name) =>
      isState &&
      (known[name]?.of === property || (name === `on_${entity.component}` && known[name]?.part === entity.component)),
  );
  const renamed = [...names].filter((name) => {
    const { unit, word } = known[name] ?? {};
    const isOther = unit !== undefined && word === undefined && name === `${property}_${spell(unit)}`;
    return name === `${property}_own` || isOther;
  });
  const spelled = made.length > 0 ? made : words;
  return [...renamed, property, ...spelled].filter((name) => names.has(name));
}

const spell = (unit = ""): string => (unit === "%" ? "pct" : unit.toLowerCase().replace(/[^a-z0-9]/g, ""));

export function judgeOwn(seen: Seen): Finding[] {
  const { entity, says, hub, reported } = seen;
  const property = entity.property ?? inTemplate(entity.config.value_template);
  if (
    property === undefined ||
    isUnknown(says.state) ||
    reported[property] === undefined ||
    reported[property] === null
  )
    return [];
  const names = ownNames(seen, property);
  if (names.length === 0)
    return [{ what: "no own attribute", homeAssistant: `${property} ${says.state}`, hub: namesIn(hub.attributes) }];
  if (names.some((name) => isSame(seen, hub.attributes[name], reported[property]))) return [];
  return [
    {
      what: "own value",
      homeAssistant: `${property} ${says.state}`,
      hub: Object.fromEntries(names.map((name) => [name, hub.attributes[name] ?? null])),
    },
  ];
}

function isSame({ entity: { component, config }, says }: Seen, value: unknown, reported: unknown): boolean {
  // JSON true and false stay as they are; of two words it says "on" that Home Assistant says.
  if (component === "switch" || component === "binary_sensor") {
    if (typeof reported === "boolean") return value === reported;
    return typeof value === "boolean"
      ? value === (says.state === "on")
      : String(value) === String(reported) && !isOneOfTwo(config, reported);
  }
  if (value === null || value === undefined) return false;
  if (typeof value === "object") return true;
  if (typeof value === "number")
    return Math.abs(Number(says.state) - value) <= 1e-6 * Math.max(1, Math.abs(value)) || Number(reported) === value;
  // Python spells them otherwise.
  if (typeof value === "boolean") return ["True", "true", "on"].includes(says.state) === value;
  return says.state === value || String(reported) === value;
}

const isOneOfTwo = ({ payload_on: on, payload_off: off }: Record<string, unknown>, value: unknown): boolean =>
  value === on || value === off;
