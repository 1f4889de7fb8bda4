// hub devices: the devices of the running hub, with their present values.
import { HubError } from "../../kit/schema/errors.ts";
import { isObject, type Json, type JsonObject } from "../../kit/schema/json.ts";
import { printable } from "../../kit/text/printable.ts";
import { type Command, type Invocation, print } from "./command.ts";
import type { HubClient } from "./hub-client.ts";
import { reach, reachOptions } from "./reach.ts";
import { createPaint, table } from "./rules/text.ts";

export const devices: Command = {
  options: {
    ...reachOptions,
    area: { type: "string", value: "AREA", doc: "only those of this area, by its id or name", completes: "area" },
    type: { type: "string", value: "TYPE", doc: "only those of this type, such as light", completes: "type" },
    "dry-run": { type: "boolean", doc: "rename-attribute: only say what would be changed" },
    suggest: {
      type: "boolean",
      doc: "rename-attribute DEVICE: only list the better names that a new house would give",
    },
    json: { type: "boolean", doc: "print JSON, with everything that is known of them" },
  },
  maxPositionals: 4,
  completes: { "": "device" },
  async run(invocation) {
    const { options, positionals } = invocation;
    const { client } = await reach(invocation);
    if (positionals[0] === "rename-attribute") return await renameAttribute(invocation, client);
    if (positionals.length > 1)
      throw new HubError("invalid", "name one FILTER, or say `hub devices rename-attribute DEVICE OLD NEW`");
    const area = typeof options.area === "string" ? await areaId(client, options.area) : undefined;
    const all = await devicesOf(client, {
      ...(area !== undefined && { area }),
      ...(typeof options.type === "string" && { device_type: options.type }),
    });
    const [filter] = positionals;
    const found = filter === undefined ? all : all.filter((device) => hasPart(device, filter));
    print(invocation, found, () => listText(found, invocation));
    return 0;
  },
};

/** All pages. */
export async function devicesOf(client: HubClient, filter: Record<string, string> = {}): Promise<JsonObject[]> {
  const all: JsonObject[] = [];
  for (;;) {
    const after = all.at(-1)?.id;
    const query = new URLSearchParams({ ...filter, ...(typeof after === "string" && { after }) });
    const page = await client.ask("GET", `/devices?${query}`);
    const found = Array.isArray(page) ? page.filter(isObject) : [];
    if (found.length === 0) return all;
    all.push(...found);
  }
}

const FILTERED_BY = ["id", "name", "device_type", "area", "plugin_id"];

function hasPart(device: JsonObject, part: string): boolean {
  return FILTERED_BY.some((key) =>
    String(device[key] ?? "")
      .toLowerCase()
      .includes(part.toLowerCase()),
  );
}

async function areaId(client: HubClient, wanted: string): Promise<string> {
  const areas = await client.ask("GET", "/areas");
  const known = (Array.isArray(areas) ? areas : []).filter(isObject);
  const same = (text: unknown): boolean => String(text).toLowerCase() === wanted.toLowerCase();
  const found = known.find(({ id }) => id === wanted) ?? known.find(({ id, name }) => same(name) || same(id));
  return typeof found?.id === "string" ? found.id : wanted;
}

function listText(found: readonly JsonObject[], { io: { platform } }: Invocation): string {
  if (found.length === 0) return "there are no such devices\n";
  const paint = createPaint(platform.stdout, platform.env);
  const text = (value: unknown): string => (typeof value === "string" ? printable(value) : "-");
  const sorted = [...found].sort(
    (a, b) => text(a.area).localeCompare(text(b.area)) || text(a.name).localeCompare(text(b.name)),
  );
  const rows = sorted.map((device) => [
    text(device.name),
    text(device.id),
    text(device.device_type),
    text(device.area),
    device.available === true ? valuesOf(device) : "not reachable",
  ]);
  const [heading = "", ...lines] = table([["DEVICE", "ID", "TYPE", "AREA", "VALUES"], ...rows]).split("\n");
  return [paint("dim", heading), ...lines].join("\n");
}

const MAX_VALUES = 5;
const MAX_VALUE = 30;

/** A value as it is typed behind `ATTRIBUTE=`. */
export function valueText(value: unknown): string {
  return printable(typeof value === "string" ? value : JSON.stringify(value));
}

/** Its first values, without those that its schema calls settings or diagnostics. */
function valuesOf({ attributes, schema }: JsonObject): string {
  const properties = isObject(schema) && isObject(schema.properties) ? schema.properties : {};
  const isMinor = (name: string): boolean => {
    const about = properties[name];
    return isObject(about) && (about.category !== undefined || about.hidden === true);
  };
  const shown = Object.entries(isObject(attributes) ? attributes : {}).filter(([name]) => !isMinor(name));
  const texts = shown.slice(0, MAX_VALUES).map(([name, value]) => {
    const text = valueText(value);
    return `${printable(name)}=${text.length > MAX_VALUE ? `${text.slice(0, MAX_VALUE - 1)}…` : text}`;
  });
  return [...texts, ...(shown.length > MAX_VALUES ? ["…"] : [])].join(" ");
}

/** hub devices rename-attribute: another name for an attribute, in everything that names it. */
async function renameAttribute(invocation: Invocation, client: HubClient): Promise<number> {
  const [, name, from, to] = invocation.positionals;
  if (invocation.options.suggest === true) return await suggest(invocation, client);
  if (name === undefined || from === undefined || to === undefined)
    throw new HubError(
      "invalid",
      "say `hub devices rename-attribute DEVICE OLD NEW`, or `hub devices rename-attribute DEVICE --suggest`",
    );
  const isDry = invocation.options["dry-run"] === true;
  const path = `/devices/${encodeURIComponent(name)}/attributes/${encodeURIComponent(from)}`;
  const answer = await client.ask("PATCH", `${path}?dry_run=${isDry}`, { name: to });
  print(invocation, answer, () => renamedText(isObject(answer) ? answer : {}));
  return 0;
}

/** Only names what could be renamed: a house goes on with the names that it has. */
async function suggest(invocation: Invocation, client: HubClient): Promise<number> {
  const [, name, ...more] = invocation.positionals;
  if (name === undefined || more.length > 0)
    throw new HubError("invalid", "say `hub devices rename-attribute DEVICE --suggest`");
  const answer = await client.ask("GET", `/devices/${encodeURIComponent(name)}/attribute-names`);
  const all = (Array.isArray(answer) ? answer : []).filter(isObject);
  const better = all.filter(({ suggested }) => typeof suggested === "string");
  print(invocation, better, () => suggestedText(name, better));
  return 0;
}

function suggestedText(device: string, better: readonly JsonObject[]): string {
  if (better.length === 0) return `a new house would call no attribute of ${shown(device)} otherwise\n`;
  const lines = better.map(({ name, suggested }) => [shown(name), shown(suggested)]);
  return `${table([["NOW", "BETTER"], ...lines])}\nhub devices rename-attribute ${shown(device)} ${lines[0]?.join(" ")} --dry-run\n`;
}

function renamedText({ device_id, from, to, renamed, places }: JsonObject): string {
  const list = Array.isArray(places) ? places.filter(isObject) : [];
  const said = renamed === true ? "is called" : "would be called";
  return `${shown(from)} of ${shown(device_id)} ${said} ${shown(to)}\n${list.map(placeText).join("")}`;
}

function placeText({ kind, name, changes, why_not }: JsonObject): string {
  if (typeof why_not === "string") return `  ${shown(kind)} ${shown(name)}: not changed, ${printable(why_not)}\n`;
  const lines = (Array.isArray(changes) ? changes.filter(isObject) : []).flatMap(({ line, before, after }) => [
    `    ${String(line)} - ${shown(before).trim()}\n`,
    `    ${String(line)} + ${shown(after).trim()}\n`,
  ]);
  return `  ${shown(kind)} ${shown(name)}\n${lines.join("")}`;
}

const shown = (value: Json | undefined): string => printable(typeof value === "string" ? value : "");
