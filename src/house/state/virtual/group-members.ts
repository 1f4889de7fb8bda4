// Which devices are in which groups, on disk and in memory. A group may have groups as members, but not itself in any depth. A
// member that is removed stays in the list: it may come back.
import { HubError } from "../../../kit/schema/errors.ts";
import { jsonIn, readEach, textIn } from "../../../server/db/rows.ts";
import type { StateDb } from "../../../server/db/state-db.ts";

const MAX_MEMBERS = 500;

interface Row {
  id: string;
  members: string;
}

export class GroupMembers {
  readonly #db: Pick<StateDb, "durable" | "faults">;
  readonly #members = new Map<string, readonly string[]>();
  /** Device → the groups it is in, in any depth. */
  #groups = new Map<string, Set<string>>();

  constructor(db: Pick<StateDb, "durable" | "faults">) {
    this.#db = db;
    const rows = db.durable.query<Row, []>("SELECT id, members FROM device_groups").all();
    for (const [id, members] of readEach(rows, fromRow, { ...db, table: "device_groups", keyOf: ({ id }) => id }))
      this.#members.set(id, members);
    this.#index();
  }

  of(id: string): readonly string[] {
    return this.#members.get(id) ?? [];
  }

  /** The devices in it, in any depth, each once. */
  devicesOf(id: string): string[] {
    return [...this.#reached(id)].filter((member) => !this.#members.has(member));
  }

  /** The groups in which a device is, in any depth. */
  groupsOf(deviceId: string): Iterable<string> {
    return this.#groups.get(deviceId) ?? [];
  }

  /** Durable when it returns. Throws HubError `invalid`. */
  set(id: string, members: readonly string[]): void {
    this.check(id, members);
    this.#db.durable
      .query(
        "INSERT INTO device_groups (id, members) VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET members = excluded.members",
      )
      .run(id, JSON.stringify(members));
    this.#members.set(id, members);
    this.#index();
  }

  delete(id: string): void {
    if (!this.#members.delete(id)) return;
    this.#db.durable.query("DELETE FROM device_groups WHERE id = ?").run(id);
    this.#index();
  }

  /** Throws HubError `invalid` for a circle, or too many members. */
  check(id: string, members: readonly string[]): void {
    if (members.includes(id)) throw new HubError("invalid", `members: the group "${id}" cannot be in itself`);
    const circle = members.find((member) => this.#reached(member).has(id));
    if (circle !== undefined) {
      throw new HubError(
        "invalid",
        `members: the group "${id}" is already in "${circle}": groups cannot form a circle`,
      );
    }
    const devices = new Set(members.flatMap((member) => (this.#members.has(member) ? this.devicesOf(member) : member)));
    if (devices.size <= MAX_MEMBERS) return;
    throw new HubError("invalid", `members: ${devices.size} devices; a group has at most ${MAX_MEMBERS}`);
  }

  /** Its members, and theirs, in their order. */
  #reached(id: string): Set<string> {
    const reached = new Set<string>();
    const visit = (member: string): void => {
      if (reached.has(member)) return;
      reached.add(member);
      this.of(member).forEach(visit);
    };
    this.of(id).forEach(visit);
    return reached;
  }

  #index(): void {
    this.#groups = new Map();
    for (const id of this.#members.keys()) {
      for (const device of this.devicesOf(id)) {
        this.#groups.set(device, (this.#groups.get(device) ?? new Set()).add(id));
      }
    }
  }
}

function fromRow({ id, members }: Row): [id: string, members: string[]] {
  const read = jsonIn(members, "members");
  if (Array.isArray(read) && read.every((member) => typeof member === "string")) return [textIn(id, "id"), read];
  throw new TypeError("members is not a list of ids");
}
