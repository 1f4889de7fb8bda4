// The audit log's table: inserting a row over the limit removes old ones; rows are read newest first.
import type { Database } from "bun:sqlite";
import { numberIn, textOrMark } from "../db/rows.ts";
import type { StateDb } from "../db/state-db.ts";

export interface AuditRow {
  id: number;
  /** Epoch ms. */
  at: number;
  /** When it happened last; the same as `at` where it happened once. */
  until: number;
  count: number;
  actor: { kind: string; id: string; name: string };
  address: string;
  action: string;
  target: string;
  outcome: string;
  detail: string;
}

export type NewRow = Omit<AuditRow, "id" | "until" | "count"> & {
  /** The share of the table it counts towards. */
  share: string;
};

/** A row whose count may still grow. */
export interface OpenRow {
  id: number;
  count: number;
  until: number;
  /** When it was inserted, on the monotonic clock. */
  since: number;
}

export interface AuditQuery {
  limit: number;
  /** Only rows with a smaller, or a greater, id. */
  before?: number | undefined;
  since?: number | undefined;
  /** A name or an id. */
  actor?: string | undefined;
  /** `rule.run`, or `rule` for all of them. */
  action?: string | undefined;
}

export interface AuditStore {
  insert(into: Database, row: NewRow): Omit<OpenRow, "since">;
  /** Writes the counts of rows and when they happened last. */
  update(rows: Iterable<OpenRow>): void;
  list(query: AuditQuery): AuditRow[];
}

type Row = Omit<AuditRow, "actor"> & { actor_kind: string; actor_id: string; actor_name: string };

const INSERT = `INSERT INTO audit (at, until, count, actor_kind, actor_id, actor_name, address, action, target, outcome, detail, share)
  VALUES (?1, ?1, 1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10) RETURNING id`;
const DROP = "DELETE FROM audit WHERE id IN (SELECT id FROM audit WHERE share = ? ORDER BY id LIMIT ?)";

export function createAuditStore({ own, relaxed }: Pick<StateDb, "own" | "relaxed">, maxRows: number): AuditStore {
  const shares = new Map<string, number>();
  let total = 0;
  const countRows = own.query<{ share: string; rows: number }, []>(
    "SELECT share, count(*) AS rows FROM audit GROUP BY share",
  );
  recount();
  const update = relaxed.query("UPDATE audit SET count = ?, until = ? WHERE id = ?");
  const list = relaxed.query<Row, Record<string, string | number | null>>(
    `SELECT * FROM audit WHERE ($before IS NULL OR id < $before) AND ($since IS NULL OR id > $since)
     AND ($actor IS NULL OR actor_id = $actor OR actor_name = $actor COLLATE NOCASE)
     AND ($action IS NULL OR action = $action OR substr(action, 1, length($action) + 1) = $action || '.')
     ORDER BY id DESC LIMIT $limit`,
  );

  function recount(): void {
    total = 0;
    shares.clear();
    for (const { share, rows } of countRows.all()) grow(share, rows);
  }

  function grow(share: string, by: number): void {
    const rows = (shares.get(share) ?? 0) + by;
    total += by;
    if (rows > 0) shares.set(share, rows);
    else shares.delete(share);
  }

  /** Removes the oldest rows of the largest share, until it is as small as the next one. */
  function removeSurplus(db: Database): void {
    while (total > maxRows) {
      const [largest, next] = [...shares].sort((a, b) => b[1] - a[1]);
      if (!largest) return;
      const surplus = Math.min(total - maxRows, Math.max(1, largest[1] - (next?.[1] ?? 0)));
      db.query(DROP).run(largest[0], surplus);
      grow(largest[0], -surplus);
    }
  }

  // The limit may be smaller than it was. If the disk cannot be written now, the next entry does this.
  try {
    if (total > maxRows) own.transaction(() => removeSurplus(own)).immediate();
  } catch {
    recount();
  }

  return {
    insert(into, { at, actor, address, action, target, outcome, detail, share }) {
      const values = [at, actor.kind, actor.id, actor.name, address, action, target, outcome, detail, share] as const;
      const add = into.transaction(() => {
        const made = into.query<{ id: number }, [...typeof values]>(INSERT).get(...values);
        grow(share, 1);
        removeSurplus(into);
        return made?.id ?? 0;
      });
      try {
        return { id: add.immediate(), count: 1, until: at };
      } catch (error) {
        // The transaction was rolled back, and the counts with it.
        recount();
        throw error;
      }
    },
    update(rows) {
      relaxed.transaction(() => {
        for (const { id, count, until } of rows) update.run(count, until, id);
      })();
    },
    list: ({ limit, before = null, since = null, actor = null, action = null }) =>
      list.all({ limit, before, since, actor, action }).map(rowOf),
  };
}

function rowOf({ actor_kind, actor_id, actor_name, ...row }: Row): AuditRow {
  return {
    id: row.id,
    at: numberIn(row.at, 0),
    until: numberIn(row.until, 0),
    count: numberIn(row.count, 1),
    actor: { kind: textOrMark(actor_kind), id: textOrMark(actor_id), name: textOrMark(actor_name) },
    address: textOrMark(row.address),
    action: textOrMark(row.action),
    target: textOrMark(row.target),
    outcome: textOrMark(row.outcome),
    detail: textOrMark(row.detail),
  };
}

const COPIED_COLUMNS =
  "at, until, count, actor_kind, actor_id, actor_name, address, action, target, outcome, detail, share";

/** Copies the rows that only `from` has. Rows over the limit are removed when the store is opened. */
export function mergeAudit(from: Database, into: Database): void {
  type Values = (string | number)[];
  const known = new Set(into.query<object, []>(`SELECT ${COPIED_COLUMNS} FROM audit`).values().map(keyOf));
  const add = into.query(`INSERT INTO audit (${COPIED_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`);
  into
    .transaction(() => {
      for (const row of from.query(`SELECT ${COPIED_COLUMNS} FROM audit ORDER BY id`).values() as Values[])
        if (!known.has(keyOf(row))) add.run(...row);
    })
    .immediate();
}

// Without `until` and `count`, which may have grown since.
function keyOf([at, , , ...rest]: unknown[]): string {
  return JSON.stringify([at, ...rest]);
}
