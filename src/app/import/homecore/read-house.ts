// Reads a whole house over homeCore's REST API, before anything is changed here.
import type { TSchema } from "@sinclair/typebox";
import { HubError } from "../../../kit/schema/errors.ts";
import { isObject, type Json } from "../../../kit/schema/json.ts";
import type { Report } from "../report.ts";
import { noteApiKeys } from "./api-keys.ts";
import type { HomecoreClient } from "./client.ts";
import {
  ListedMode,
  OldArea,
  OldCalendar,
  OldDevice,
  OldGroup,
  OldRule,
  OldScene,
  OldUser,
  type ReadList,
  readList,
} from "./shapes.ts";

export interface OldHouse {
  readonly devices: readonly OldDevice[];
  readonly timers: readonly OldDevice[];
  readonly switches: readonly OldDevice[];
  /** Counters, numbers, texts, groups and so on, without timers and switches. */
  readonly glue: readonly OldDevice[];
  readonly areas: readonly OldArea[];
  readonly scenes: readonly OldScene[];
  readonly rules: readonly OldRule[];
  readonly groups: readonly OldGroup[];
  readonly modes: readonly ListedMode[];
  readonly users: readonly OldUser[];
  readonly calendars: readonly OldCalendar[];
}

const PAGE = 500;
const MAX_DEVICES = 20_000;

/** Devices of homeCore itself have plugins with such names. */
const OWN = "core.";
/** Those that have a list of their own. */
const LISTED = ["core.timer", "core.switch", "core.mode", "core.glue"];

/** Throws HubError as the client does. What it cannot read of a list is in the report. */
export async function readHouse(client: HomecoreClient, report: Report): Promise<OldHouse> {
  const noted = <T>({ items, unreadable }: ReadList<T>, what: string): T[] => {
    if (unreadable > 0) report.add("other", what, "left", `${unreadable} of them cannot be read`);
    return items;
  };
  const list = async <S extends TSchema>(path: string, schema: S) =>
    noted(readList(await client.get(path), schema, path), path.slice(1));
  const optional = async <S extends TSchema>(path: string, schema: S) =>
    noted(readList((await whereThere(client, path)) ?? [], schema, path), path.slice(1));

  const all = noted(await readDevices(client), "devices");
  for (const { name, plugin_id } of all)
    if (plugin_id.startsWith(OWN) && !LISTED.includes(plugin_id))
      report.add(
        "device",
        name,
        "left",
        `homeCore made it itself (${plugin_id}), and nothing here would keep it up to date`,
      );
  const house = {
    devices: all.filter(({ plugin_id }) => !plugin_id.startsWith(OWN)),
    areas: await list("/areas", OldArea),
    scenes: await list("/scenes/export", OldScene),
    rules: await list("/automations", OldRule),
    groups: await optional("/automations/groups", OldGroup),
    modes: await optional("/modes", ListedMode),
    timers: await list("/timers", OldDevice),
    switches: await list("/switches", OldDevice),
    glue: (await optional("/glue", OldDevice)).filter(({ plugin_id }) => plugin_id === "core.glue"),
    users: await list("/auth/users", OldUser),
    calendars: await optional("/calendars", OldCalendar),
  };
  await noteOthers(client, report);
  return house;
}

/** Undefined where this version of homeCore does not have it. */
async function whereThere(client: HomecoreClient, path: string): Promise<Json | undefined> {
  try {
    return await client.get(path);
  } catch (error) {
    if (error instanceof HubError && error.code === "not_found") return undefined;
    throw error;
  }
}

async function readDevices(client: HomecoreClient): Promise<ReadList<OldDevice>> {
  const found = new Map<string, OldDevice>();
  let unreadable = 0;
  for (let offset = 0; ; ) {
    const answer = await client.get(`/devices?include_schema=true&limit=${PAGE}&offset=${offset}`);
    refuseOwnKind(answer, client.origin);
    const page = readList(answer, OldDevice, "/devices");
    const before = found.size;
    for (const device of page.items) found.set(device.device_id, device);
    if (found.size > before) unreadable += page.unreadable;
    if (found.size > MAX_DEVICES)
      throw new HubError(
        "too_large",
        `homeCore lists more than ${MAX_DEVICES} devices: this hub does not hold so many`,
      );
    // By what came: homeCore may give fewer than asked for. A version that knows no pages answers with all of them each time.
    if (found.size === before) return { items: [...found.values()], unreadable };
    offset += page.items.length + page.unreadable;
  }
}

function refuseOwnKind(answer: Json, origin: string): void {
  const [first] = Array.isArray(answer) ? answer : [];
  if (isObject(first) && first.device_id === undefined && first.id !== undefined)
    throw new HubError(
      "invalid",
      `${origin} is not homeCore but a hub like this one: move with \`hub backup\` there and \`hub restore\` here`,
    );
}

const NOT_MOVED = [{ path: "/dashboards", what: "dashboards", note: "this hub's page is arranged by hand" }];

/** Names what an import never moves, where the old house has any of it. */
async function noteOthers(client: HomecoreClient, report: Report): Promise<void> {
  try {
    noteApiKeys(await client.get("/auth/api-keys"), report);
  } catch {
    // As below.
  }
  for (const { path, what, note } of NOT_MOVED) {
    try {
      const answer = await client.get(path);
      const entries = Array.isArray(answer) ? answer : [];
      if (entries.length > 0) report.add("other", `${what} (${entries.length})`, "left", namesIn(entries) + note);
    } catch {
      // Whether there are any matters to nobody who cannot read them.
    }
  }
}

function namesIn(entries: readonly Json[]): string {
  const names = entries.flatMap((entry) => {
    const name = isObject(entry) ? (entry.label ?? entry.name) : undefined;
    return typeof name === "string" ? [name.slice(0, 60)] : [];
  });
  return names.length === 0 ? "" : `${names.slice(0, 10).join(", ")}${names.length > 10 ? ", …" : ""}: `;
}
