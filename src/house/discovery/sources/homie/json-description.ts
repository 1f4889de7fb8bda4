// Homie 5: a device describes itself in one JSON document, `$description`.
import { isObject, type Json, type JsonObject } from "../../../../kit/schema/json.ts";
import type { HomieDescription, HomieNode, HomieProperty } from "./description.ts";
import { DATATYPES, type Datatype, ID_RULE, isHomieId, MAX_PROPERTIES, quoted, shortText } from "./description.ts";
import { described } from "./topics-description.ts";

export const MAX_DESCRIPTION_BYTES = 262_144;

/** `json`: undefined where it is none, or too large. */
export function describedInJson(json: Json | undefined): HomieDescription {
  if (!isObject(json))
    return unusable(`its $description must be a JSON object of at most ${MAX_DESCRIPTION_BYTES} bytes`);
  const { homie, nodes = {}, children } = json;
  if (typeof homie !== "string" || !/^5\.\d+/.test(homie))
    return unusable('its $description must say by which version it is, as in "homie": "5.0"');
  if (!isObject(nodes)) return unusable("nodes in its $description must be an object, by their ids");
  const problems: string[] = [];
  const found = Object.entries(nodes).flatMap(([id, node]) => nodeIn(id, node, problems));
  if (found.reduce((sum, { properties }) => sum + properties.length, 0) > MAX_PROPERTIES)
    return unusable(`it announces more than ${MAX_PROPERTIES} properties`);
  const root = idIn(json.root);
  return described({
    ...{ version: 5, problems, nodes: found, name: shortText(json.name), model: shortText(json.type) },
    ...{ root, parent: idIn(json.parent) ?? root, hasChildren: Array.isArray(children) && children.length > 0 },
  });
}

const unusable = (problem: string): HomieDescription => described({ version: 5, problems: [problem] });

function nodeIn(id: string, node: Json, problems: string[]): HomieNode[] {
  const { name, type, properties = {} }: JsonObject = isObject(node) ? node : {};
  if (!isHomieId(id) || !isObject(node) || !isObject(properties)) {
    problems.push(
      `its node ${quoted(id)} ${isHomieId(id) ? "is no object with properties" : `has no valid id: ${ID_RULE}`}`,
    );
    return [];
  }
  return [
    {
      ...{ id, name: shortText(name), type: typeof type === "string" ? type : "" },
      properties: Object.entries(properties).flatMap(([one, property]) => propertyIn(id, one, { property, problems })),
    },
  ];
}

function propertyIn(
  node: string,
  id: string,
  { property, problems }: { property: Json; problems: string[] },
): HomieProperty[] {
  const { name, datatype, format, unit, settable, retained }: JsonObject = isObject(property) ? property : {};
  if (!isHomieId(id) || typeof datatype !== "string" || !DATATYPES.has(datatype)) {
    const what = isHomieId(id) ? `the datatype ${quoted(String(datatype))}, which is none` : `no valid id: ${ID_RULE}`;
    problems.push(`its property ${quoted(`${node}/${id}`)} has ${what}`);
    return [];
  }
  return [
    {
      ...{
        id,
        name: shortText(name),
        datatype: datatype as Datatype,
        format: typeof format === "string" ? format : "",
      },
      ...{
        unit: typeof unit === "string" ? unit : undefined,
        settable: settable === true,
        retained: retained !== false,
      },
    },
  ];
}

const idIn = (value: Json | undefined): string | undefined =>
  typeof value === "string" && isHomieId(value) ? value : undefined;
