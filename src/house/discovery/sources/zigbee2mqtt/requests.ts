// What a bridge can be asked beside setting properties, as commands `{"command": "rename", "to": "hall"}` → `bridge/request/…`.
import type { Json, JsonObject } from "../../../../kit/schema/json.ts";
import type { Attribute, Outgoing } from "../../described.ts";
import { wrong } from "../../words.ts";
import type { Named } from "./names.ts";

/** One command. */
export interface Request {
  /** What the command may hold, in words. */
  doc: string;
  /** Throws HubError `invalid`. */
  make(fields: Fields): { request: string; payload?: JsonObject };
}
export type Requests = Readonly<Record<string, Request>>;

/** The fields of a command. Each reader throws HubError `invalid` with the field's name. */
export interface Fields {
  name(field: string): string;
  flag(field: string): boolean;
  /** Whole seconds, up to 254. */
  seconds(field: string): number;
  has(field: string): boolean;
}

const MAX_SECONDS = 254;
const MAX_NAME = 255;

/** Undefined where `wanted` is no command, but a state. Throws HubError `invalid`. */
export function requestOf(base: string, requests: Requests, wanted: JsonObject): Outgoing | undefined {
  const { command, ...rest } = wanted;
  if (command === undefined) return undefined;
  const request = typeof command === "string" && Object.hasOwn(requests, command) ? requests[command] : undefined;
  if (!request) throw wrong("command", `must be one of ${Object.keys(requests).join(", ")}`);
  const read = new Set<string>();
  const { request: name, payload } = request.make(fieldsOf(rest, read));
  const unknown = Object.keys(rest).find((field) => !read.has(field));
  if (unknown !== undefined)
    throw wrong(unknown, `the command takes ${request.doc === "" ? "nothing else" : `only ${request.doc}`}`);
  const text = payload ? JSON.stringify(payload) : "";
  return { topic: `${base}/bridge/request/${name}`, payload: text, qos: 1, retain: false };
}

/** Attributes with `command`: the device's own commands, such as a cover's `open`, and what its bridge can be asked. */
export function commandsBeside(
  attributes: readonly Attribute[],
  base: string,
  requests: Requests,
): { attributes: Attribute[]; requestOf(wanted: JsonObject): Outgoing | undefined } {
  const own = attributes.find(({ name }) => name === "command");
  // A property of the device's: the bridge is not asked by it.
  if (own && own.word === undefined) return { attributes: [...attributes], requestOf: () => undefined };
  const asked = commandAttribute(requests);
  if (!own) return { attributes: [...attributes, asked], requestOf: (wanted) => requestOf(base, requests, wanted) };
  const moves = own.options ?? [];
  const { description } = asked;
  const command = { ...own, ...(description && { description }), options: [...moves, ...(asked.options ?? [])] };
  return {
    attributes: [...attributes.filter((one) => one !== own), command],
    requestOf: (wanted) =>
      moves.some((one) => one === wanted.command) ? undefined : requestOf(base, requests, wanted),
  };
}

/** What a page goes by: the commands there are, and what each holds. */
export function commandAttribute(requests: Requests): Attribute {
  const all = Object.entries(requests).map(([name, { doc }]) => (doc === "" ? name : `${name} (${doc})`));
  return {
    ...{ name: "command", type: "string", options: Object.keys(requests), readable: false, writable: true },
    ...{ category: "config", description: `Asks the bridge: ${all.join(", ")}` },
  };
}

function fieldsOf(fields: JsonObject, read: Set<string>): Fields {
  const value = (field: string): Json | undefined => {
    read.add(field);
    return fields[field];
  };
  return {
    has: (field) => value(field) !== undefined,
    name(field) {
      const name = value(field);
      if (typeof name !== "string" || name.trim() === "" || name.length > MAX_NAME || /[+#\p{Cc}]/u.test(name))
        throw wrong(field, "must be a name without + and #");
      return name.trim();
    },
    flag(field) {
      const flag = value(field) ?? false;
      if (typeof flag !== "boolean") throw wrong(field, "must be true or false");
      return flag;
    },
    seconds(field) {
      const seconds = value(field) ?? MAX_SECONDS;
      if (typeof seconds === "number" && Number.isInteger(seconds) && seconds >= 0 && seconds <= MAX_SECONDS)
        return seconds;
      throw wrong(field, `must be whole seconds from 0 to ${MAX_SECONDS}`);
    },
  };
}

/** Of a device; `id`: what its bridge knows it by. */
export function deviceRequests(id: string, { hasOta }: { hasOta: boolean }): Requests {
  const ota: Requests = {
    ota_check: { doc: "", make: () => ({ request: "device/ota_update/check", payload: { id } }) },
    ota_update: { doc: "", make: () => ({ request: "device/ota_update/update", payload: { id } }) },
  };
  return {
    rename: {
      doc: "to",
      make: (fields) => ({ request: "device/rename", payload: { from: id, to: fields.name("to") } }),
    },
    remove: {
      doc: "force",
      make: (fields) => ({ request: "device/remove", payload: { id, force: fields.flag("force") } }),
    },
    interview: { doc: "", make: () => ({ request: "device/interview", payload: { id } }) },
    configure: { doc: "", make: () => ({ request: "device/configure", payload: { id } }) },
    ...(hasOta && ota),
  };
}

/** `id`: its number, or the name it has on the bridge. */
export function groupRequests(id: string): Requests {
  const member = (request: string): Request => ({
    doc: "device",
    make: (fields) => ({
      request: `group/members/${request}`,
      payload: { group: id, device: fields.name("device") },
    }),
  });
  return {
    rename: {
      doc: "to",
      make: (fields) => ({ request: "group/rename", payload: { from: id, to: fields.name("to") } }),
    },
    remove: {
      doc: "force",
      make: (fields) => ({ request: "group/remove", payload: { id, force: fields.flag("force") } }),
    },
    add_member: member("add"),
    remove_member: member("remove"),
  };
}

/** Of the bridge itself. `resolve` throws HubError `invalid`. */
export function bridgeRequests(resolve: (name: string) => Named): Requests {
  return {
    permit_join: {
      doc: "time, device",
      make: (fields) => ({
        request: "permit_join",
        payload: { time: fields.seconds("time"), ...(fields.has("device") && { device: fields.name("device") }) },
      }),
    },
    rename: {
      doc: "device, to",
      make(fields) {
        const { kind, id } = resolve(fields.name("device"));
        return { request: `${kind}/rename`, payload: { from: id, to: fields.name("to") } };
      },
    },
    remove: {
      doc: "device, force",
      make(fields) {
        const { kind, id } = resolve(fields.name("device"));
        return { request: `${kind}/remove`, payload: { id, force: fields.flag("force") } };
      },
    },
    add_group: {
      doc: "name",
      make: (fields) => ({ request: "group/add", payload: { friendly_name: fields.name("name") } }),
    },
    restart: { doc: "", make: () => ({ request: "restart" }) },
  };
}
