// The user that the service runs as: the one given, the owner of an existing home, or a user of its own.
import { lstatSync } from "node:fs";
import { HubError } from "../../kit/schema/errors.ts";
import type { Home } from "../home/paths.ts";
import type { Machine } from "./machine.ts";
import { DEVICE_GROUPS } from "./service-unit.ts";

const OWN_USER = "hub";

export interface Account {
  user: string;
  group: string;
  /** Those of DEVICE_GROUPS that exist. */
  groups: string[];
  /** The command that creates the user; undefined where it exists. */
  create: string[] | undefined;
}

/** Throws HubError `not_found` or `invalid` where the given user cannot be used. */
export async function findAccount(machine: Machine, home: Home, named: string | undefined): Promise<Account> {
  if (named !== undefined && !/^[a-z_][a-z0-9_-]*$/i.test(named))
    throw new HubError("invalid", `"${named}" is not the name of a user`);
  const user = named ?? (await nameOfOwner(machine, home)) ?? OWN_USER;
  if (user === "root")
    throw new HubError("invalid", "the hub does not need root and neither do its plugins: leave out --user");
  const groups = await existing(machine, DEVICE_GROUPS);
  const group = (await machine.run(["id", "-gn", user])).stdout.trim();
  if (group) return { user, group, groups, create: undefined };
  if (named !== undefined && named !== OWN_USER) {
    throw new HubError("not_found", `there is no user "${named}": create it first, or leave out --user`);
  }
  const inGroup = (await existing(machine, [OWN_USER])).length > 0 ? ["--gid", OWN_USER] : ["--user-group"];
  const shell = ["--shell", "/usr/sbin/nologin"];
  const create = ["useradd", "--system", ...inGroup, "--home-dir", home.root, "--no-create-home", ...shell, OWN_USER];
  return { user: OWN_USER, group: OWN_USER, groups, create };
}

/** The owner of the home; undefined for root, and where there is no home yet. */
async function nameOfOwner(machine: Machine, home: Home): Promise<string | undefined> {
  // A link belongs to the user who made it, wherever it leads.
  const uid = lstatSync(home.hubToml, { throwIfNoEntry: false })?.uid;
  if (!uid) return undefined;
  return (await machine.run(["id", "-un", String(uid)])).stdout.trim() || undefined;
}

async function existing(machine: Machine, groups: readonly string[]): Promise<string[]> {
  const found = await Promise.all(groups.map((group) => machine.run(["getent", "group", group])));
  return groups.filter((_, index) => found[index]?.code === 0);
}
