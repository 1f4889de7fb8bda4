// What is sent: one point for each change of an attribute that the export wants.
import { isSecretName, masked } from "../../kit/text/masking.ts";
import { wildcard } from "../../kit/text/wildcard.ts";
import type { HistoryExport } from "./config.ts";

export type PointKind = "number" | "boolean" | "text" | "json" | "removed";

export interface Point {
  device: string;
  attribute: string;
  /** Its area and plugin now; undefined where it has none, or is gone. */
  area: string | undefined;
  plugin: string | undefined;
  /** Epoch ms. */
  at: number;
  /** Distinguishes the points of one attribute within one millisecond. */
  n: number;
  kind: PointKind;
  /** 0 and 1 for booleans, the text of JSON, null where the attribute was removed. */
  value: number | string | null;
}

/** What the export needs to know of a device; undefined if it is gone. */
export type DeviceInfo = (id: string) => DeviceFacts | undefined;

export interface DeviceFacts {
  /** The id of its area. */
  area: string | undefined;
  areaName: string | undefined;
  plugin: string;
  /** By what the device says of itself, whatever it is called. */
  isPassword(attribute: string): boolean;
}

/** As the history writes its pages: `[device, attribute, at, n, value, type, at, n, value, type, …]` for each series. */
type SeriesRow = [string, string, ...(number | string | null)[]];
const FIRST = 2;
const WIDTH = 4;
const [BOOLEAN, JSON_TEXT, REMOVED] = [1, 2, 3];

/** Never what sounds like a PIN or a password: an export may not have the hub's rights. */
export function createPointReader(config: HistoryExport, device: DeviceInfo): (page: string) => Point[] {
  const wantsSeries = createFilter(config);
  const strings = config.strings ?? config.kind === "postgres";
  return function read(page) {
    const points: Point[] = [];
    for (const row of JSON.parse(page) as SeriesRow[]) {
      const [id, attribute] = row;
      const info = device(id);
      if (isSecretName(attribute) || info?.isPassword(attribute)) continue;
      if (!wantsSeries(id, attribute, [info?.area, info?.areaName])) continue;
      for (let index = FIRST; index < row.length; index += WIDTH) {
        const [at, n, value = null, type] = row.slice(index, index + WIDTH);
        const kind = kindOf(value, type as number | null);
        if (!strings && kind !== "number" && kind !== "boolean") continue;
        const shown = kind === "json" ? JSON.stringify(masked(JSON.parse(String(value)))) : value;
        points.push({
          ...{ device: id, attribute, area: info?.area, plugin: info?.plugin },
          ...{ at: Number(at), n: Number(n), kind, value: shown },
        });
      }
    }
    return points;
  };
}

function kindOf(value: number | string | null, type: number | null): PointKind {
  if (type === BOOLEAN) return "boolean";
  if (type === JSON_TEXT) return "json";
  if (type === REMOVED || value === null) return "removed";
  return typeof value === "number" ? "number" : "text";
}

type Filter = (device: string, attribute: string, area: readonly (string | undefined)[]) => boolean;

function createFilter(config: HistoryExport): Filter {
  const device = oneOf(config.devices, config.exclude_devices);
  const attribute = oneOf(config.attributes, config.exclude_attributes);
  const area = oneOf(config.areas, config.exclude_areas);
  return (id, name, areas) => device([id]) && attribute([name]) && area(areas);
}

/** Whether one of a thing's names matches a pattern of the first list, or that is empty, and none matches the second. */
function oneOf(
  include: readonly string[],
  exclude: readonly string[],
): (names: readonly (string | undefined)[]) => boolean {
  const [wanted, unwanted] = [include.map(wildcard), exclude.map(wildcard)];
  const matches = (patterns: readonly RegExp[], names: readonly (string | undefined)[]): boolean =>
    patterns.some((pattern) => names.some((name) => name !== undefined && pattern.test(name)));
  return (names) => (wanted.length === 0 || matches(wanted, names)) && !matches(unwanted, names);
}
