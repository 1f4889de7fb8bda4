// Groups of homeCore's glue → groups here. Theirs is a question ("is any of them on?"), ours is a device that says of each
// attribute what its members say; so a group that asks another question would silently mean something else, and is not moved.
import { GROUP_MODEL } from "../../../house/state/device.ts";
import { GroupMembers } from "../../../house/state/virtual/group-members.ts";
import { HubError } from "../../../kit/schema/errors.ts";
import type { StateDb } from "../../../server/db/state-db.ts";
import type { DeviceImport } from "./devices.ts";
import type { OldDevice } from "./shapes.ts";
import { addOwn } from "./virtual.ts";

export function importGroups(
  tables: Pick<StateDb, "durable" | "faults">,
  groups: readonly OldDevice[],
  into: DeviceImport,
): void {
  const members = new GroupMembers(tables);
  const wanted = groups.filter((group) => {
    const problem = unlike(group.attributes);
    if (problem !== undefined) into.report.add("group", group.name, "left", problem);
    return problem === undefined;
  });
  const idOf = idFinder(wanted, into);
  for (const group of wanted) importGroup(group, members, { ...into, idOf });
}

type IdOf = (name: string) => string | undefined;

/** Members are named by id, or by canonical name. */
function idFinder(groups: readonly OldDevice[], { known }: DeviceImport): IdOf {
  const ids = new Set([...known.keys(), ...groups.map(({ device_id }) => device_id)]);
  const aliases = new Map([...known.values()].map(({ alias, id }) => [alias, id]));
  return (name) => (ids.has(name) ? name : aliases.get(name));
}

function importGroup(old: OldDevice, members: GroupMembers, into: DeviceImport & { idOf: IdOf }): void {
  const { report, idOf } = into;
  const listed = Array.isArray(old.attributes.member_ids) ? old.attributes.member_ids.map(String) : [];
  const found = [...new Set(listed.flatMap((name) => idOf(name) ?? []))];
  if (found.length === 0 && !into.known.has(old.device_id)) {
    report.add("group", old.name, "left", listed.length === 0 ? "it has no members" : "none of its members is here");
    return;
  }
  try {
    members.check(old.device_id, found);
  } catch (error) {
    if (!(error instanceof HubError)) throw error;
    report.add("group", old.name, "left", error.message);
    return;
  }
  const own = { kind: "group", attributes: {}, details: { model: GROUP_MODEL } } as const;
  if (addOwn(old, { ...own, note: noteOf(old.attributes, { listed, idOf }) }, into)) members.set(old.device_id, found);
}

/** Why a group of ours would answer something else. */
function unlike({ mode, expect }: OldDevice["attributes"]): string | undefined {
  if (expect === false)
    return "it asks whether members are off, and a group here whether they are on: ask for each member in the rule";
  return mode === "all"
    ? "it is on when all members are, and a group here when any is: ask for each member in the rule"
    : undefined;
}

function noteOf(
  { attribute }: OldDevice["attributes"],
  { listed, idOf }: { listed: readonly string[]; idOf: IdOf },
): string | undefined {
  const missing = listed.filter((name) => idOf(name) === undefined);
  const notes = [
    ...(missing.length === 0 ? [] : [`without ${missing.join(", ")}: no such device is here`]),
    ...(typeof attribute !== "string" || attribute === "on"
      ? []
      : [`rules that ask for its "on" must ask for its "${attribute}"`]),
  ];
  return notes.length === 0 ? undefined : notes.join("; ");
}
