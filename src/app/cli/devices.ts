// hub devices: the devices of the running hub, with their present values.

import { HubError } from "../../kit/schema/errors.ts";
import { isObject, type JsonObject } from "../../kit/schema/json.ts";
import { printable } from "../../kit/text/printable.ts";
import { type Command, type Invocation, print } from "./command.ts";
import { renameAttribute } from "./device/rename-attribute.ts";
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
