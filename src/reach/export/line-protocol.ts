// The format of InfluxDB, which VictoriaMetrics, QuestDB and Telegraf read too:
// `hub,area=Kitchen,device=lamp,plugin=zigbee temperature=21.5,on=t 1763862000123`.
import type { Point } from "./points.ts";

export interface LineOptions {
  booleansAsNumbers: boolean;
}

const MEASUREMENT = "hub";

/**
 * A line for each device and millisecond, with a field for each attribute; of several values of an attribute within a
 * millisecond the last. Numbers are always floats: a field that was an integer once would refuse 21.5.
 */
export function linesOf(points: readonly Point[], { booleansAsNumbers }: LineOptions): string[] {
  const byDevice = new Map<string, { tags: string; times: Map<number, string> }>();
  for (const [index, point] of points.entries()) {
    if (isReplacedBy(points[index + 1], point)) continue;
    const field = fieldOf(point, booleansAsNumbers);
    if (field === undefined) continue;
    const { device, at } = point;
    let lines = byDevice.get(device);
    if (!lines) {
      lines = { tags: tagsOf(point), times: new Map() };
      byDevice.set(device, lines);
    }
    const before = lines.times.get(at);
    lines.times.set(at, before === undefined ? field : `${before},${field}`);
  }
  return [...byDevice.values()].flatMap(({ tags, times }) =>
    [...times].map(([at, fields]) => `${tags} ${fields} ${at}`),
  );
}

function isReplacedBy(next: Point | undefined, { device, attribute, at }: Point): boolean {
  return next !== undefined && next.at === at && next.attribute === attribute && next.device === device;
}

/** Sorted by their names, as InfluxDB likes them. */
function tagsOf({ area, device, plugin }: Point): string {
  const tags = Object.entries({ area, device, plugin }).flatMap(([name, value]) => {
    const text = value === undefined ? "" : key(value);
    return text === "" ? [] : [`,${name}=${text}`];
  });
  return `${MEASUREMENT}${tags.join("")}`;
}

function fieldOf({ attribute, kind, value }: Point, booleansAsNumbers: boolean): string | undefined {
  // VictoriaMetrics takes a quotation mark in a name for the beginning of a text, and the fields behind it for a part of that.
  const name = key(attribute.replaceAll('"', "'"));
  if (name === "") return undefined;
  switch (kind) {
    case "number":
      return `${name}=${value}`;
    case "boolean":
      return `${name}=${booleansAsNumbers ? value : value === 1 ? "t" : "f"}`;
    case "removed":
      return undefined;
    default:
      return `${name}="${oneLine(String(value)).replace(/["\\]/g, "\\$&")}"`;
  }
}

/** A tag's value or a field's name. A backslash at its end would take the comma behind it for part of it. */
function key(text: string): string {
  return oneLine(text).replace(/\\+$/, "").replace(/[,= ]/g, "\\$&");
}

// A line break would begin a new line, also where a device has put one into a text.
function oneLine(text: string): string {
  return text.toWellFormed().replace(/[\p{Cc}\u2028\u2029]+/gu, " ");
}
