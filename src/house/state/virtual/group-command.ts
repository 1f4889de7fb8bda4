// What each member of a group gets of a command to the group.
import { HubError } from "../../../kit/schema/errors.ts";
import { HUB_PLUGIN_ID } from "../../../kit/schema/ids.ts";
import type { JsonObject } from "../../../kit/schema/json.ts";
import { describedAttribute } from "../command-check.ts";
import type { Actor } from "../commands.ts";
import type { Device } from "../device.ts";

/** The keys that the hub's own devices take, by type. */
const OWN_KEYS: Readonly<Record<string, readonly string[]>> = {
  switch: ["on", "command"],
  mode: ["on", "command"],
  schedule: ["enabled", "command"],
  timer: ["command"],
};
const ON_OFF: Readonly<Record<string, boolean>> = { on: true, off: false };

/**
 * Member → what it takes of the command; a member that takes nothing is left out. What no member knows, such as a `transition`,
 * goes along. Throws HubError `invalid` if none takes any of it.
 */
export function partsOf(group: Device, members: readonly Device[], given: JsonObject): [string, JsonObject][] {
  const wanted = asState(group, members, given);
  const names = Object.keys(wanted);
  const unknown = names.filter((name) => !members.some((member) => takes(member, name)));
  const parts = members.flatMap((member): [string, JsonObject][] => {
    const taken = names.filter((name) => takes(member, name));
    if (taken.length === 0) return [];
    return [[member.id, Object.fromEntries([...taken, ...unknown].map((name) => [name, wanted[name] ?? null]))]];
  });
  if (parts.length > 0) return parts;
  const what = names.map((name) => `"${name}"`).join(", ");
  throw new HubError("invalid", `no member of the group "${group.id}" takes ${what || "an empty command"}`);
}

/** The commands `on`, `off` and `toggle` work with all that can be on. */
function asState({ attributes }: Device, members: readonly Device[], wanted: JsonObject): JsonObject {
  const { command, ...rest } = wanted;
  if (!members.some((member) => takes(member, "on"))) return wanted;
  if (command === "toggle") return { ...rest, on: attributes.on !== true };
  return typeof command === "string" && Object.hasOwn(ON_OFF, command)
    ? { ...rest, on: ON_OFF[command] === true }
    : wanted;
}

/** One that describes nothing takes what it reports, and commands. */
function takes({ pluginId, deviceType = "", details, attributes }: Device, name: string): boolean {
  if (pluginId === HUB_PLUGIN_ID) return OWN_KEYS[deviceType]?.includes(name) === true;
  const described = describedAttribute(details, name);
  if (described) return described.readOnly !== true;
  return Object.hasOwn(attributes, name) || (name === "command" && !details.schema && !details.capabilities);
}

/** Who sent the command to the group. */
export function actorOf({ kind, actor_id, actor_name }: JsonObject): Actor {
  return { kind: String(kind), id: String(actor_id), name: String(actor_name) };
}
