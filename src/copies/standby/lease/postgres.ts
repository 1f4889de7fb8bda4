// The lease as a row in PostgreSQL. Each change is one statement that holds its own conditions, by the server's clock: so two machines
// cannot both be answered yes, and a statement that arrives late, after its sender gave up waiting, changes nothing it may not change.
import type { SQL } from "bun";
import { HubError } from "../../../kit/schema/errors.ts";
import { createPostgresConnection, type Row } from "../../../reach/export/postgres-connection.ts";
import { SendFailure } from "../../../reach/export/target.ts";
import type { EngineOptions } from "./engine-options.ts";
import type { LeaseEngine, LeaseRow, Machine, Taken } from "./lease.ts";
import { createWitness } from "./witness.ts";

const TABLE = "hub_lease";

// `turn` counts the renewals of one epoch.
const CREATE = `CREATE TABLE IF NOT EXISTS ${TABLE} (house text PRIMARY KEY, holder text NOT NULL, name text NOT NULL,
  address text NOT NULL, epoch bigint NOT NULL, turn bigint NOT NULL, standby text, ends_at timestamptz NOT NULL)`;

const endsAt = (ttlMs: string): string => `clock_timestamp() + ${ttlMs}::float8 * interval '1 millisecond'`;

const READ = `SELECT holder, name, address, epoch::float8 AS epoch, standby, ends_at::text || '/' || turn AS mark,
  (extract(epoch FROM ends_at - clock_timestamp()) * 1000)::float8 AS left_ms FROM ${TABLE} WHERE house = $1`;

const TAKE_FIRST = `INSERT INTO ${TABLE} (house, holder, name, address, epoch, turn, ends_at)
  VALUES ($1, $2, $3, $4, $5::bigint + 1, 0, ${endsAt("$6")})
  ON CONFLICT (house) DO NOTHING RETURNING epoch::float8 AS epoch, standby`;

const TAKE = `UPDATE ${TABLE} SET holder = $2, name = $3, address = $4, epoch = greatest(epoch, $5::bigint) + 1, turn = 0,
  standby = CASE WHEN holder = $2 THEN standby END, ends_at = ${endsAt("$6")}
  WHERE house = $1 AND epoch = $7::bigint AND (holder = $2 OR (standby = $2 AND ends_at <= clock_timestamp()))
  RETURNING epoch::float8 AS epoch, standby`;

// An engine that was set back to an earlier state still names the holder, in an earlier epoch.
const RENEW = `INSERT INTO ${TABLE} AS lease (house, holder, name, address, epoch, ends_at, turn, standby)
  VALUES ($1, $2, $3, $4, $5::bigint, ${endsAt("$6")}, $7::bigint, $8)
  ON CONFLICT (house) DO UPDATE SET name = excluded.name, address = excluded.address, epoch = excluded.epoch,
    turn = excluded.turn, standby = excluded.standby, ends_at = excluded.ends_at
  WHERE lease.holder = $2 AND (lease.epoch < $5::bigint OR (lease.epoch = $5::bigint AND lease.turn < $7::bigint))
  RETURNING 1 AS kept`;

const GIVE_UP = `UPDATE ${TABLE} SET ends_at = clock_timestamp(), turn = $4::bigint
  WHERE house = $1 AND holder = $2 AND epoch = $3::bigint AND turn < $4::bigint`;

export function openPostgresLease({ lease, config, ca, withinMs, clock }: EngineOptions): LeaseEngine {
  const { house, username } = config;
  const { host } = new URL(lease);
  const connection = createPostgresConnection({
    config: { url: lease, username, password: config.password, table: TABLE },
    ca,
    prepare: (sql) => makeTable(sql, { host, username }),
  });
  const witness = createWitness(clock, lease);
  let turn = 0;

  async function rows(text: string, values: unknown[]): Promise<Row[]> {
    const timeout = new AbortController();
    const timer = clock.after("lease", withinMs, () =>
      timeout.abort(new SendFailure("later", `PostgreSQL at ${host} does not answer within ${withinMs / 1000} s`)),
    );
    try {
      return await connection.run((sql) => sql.unsafe(text, [house, ...values]), timeout.signal);
    } catch (error) {
      if (!(error instanceof SendFailure)) throw error;
      const code = error.kind === "setup" ? "config" : "unavailable";
      throw new HubError(code, `the lease: ${error.message}`, { cause: error });
    } finally {
      timer[Symbol.dispose]();
    }
  }

  async function read(): Promise<LeaseRow | undefined> {
    const [row] = await rows(READ, []);
    if (!row) return undefined;
    const saidMs = Number(row.left_ms);
    return { ...leaseRow(row), leftMs: witness.leftMs(String(row.mark), saidMs, saidMs) };
  }

  return {
    url: lease,
    read,
    async take(machine, ttlMs, known = 0): Promise<Taken> {
      const row = await read();
      witness.mayTake(row, { known, ttlMs });
      if (row && row.leftMs > 0 && row.holder.id !== machine.id) return { ok: false, row };
      const askedAt = clock.mono();
      const values = [...columns(machine), known, ttlMs];
      const [taken] = await (row ? rows(TAKE, [...values, row.epoch]) : rows(TAKE_FIRST, values));
      if (taken) return { ok: true, epoch: Number(taken.epoch), standby: textIn(taken.standby), askedAt };
      const now = await read();
      if (now) return { ok: false, row: now };
      throw new HubError("unavailable", `the lease at ${lease} was removed just now`);
    },
    async renew({ machine, epoch, standby, ttlMs }) {
      const kept = await rows(RENEW, [...columns(machine), epoch, ttlMs, ++turn, standby ?? null]);
      return kept.length > 0;
    },
    async giveUp({ machine, epoch }) {
      await rows(GIVE_UP, [machine.id, epoch, ++turn]);
    },
    [Symbol.asyncDispose]: () => connection[Symbol.asyncDispose](),
  };
}

function columns({ id, name, address }: Machine): string[] {
  return [id, name, address];
}

function leaseRow({ holder, name, address, epoch, standby }: Row): Omit<LeaseRow, "leftMs"> {
  return {
    holder: { id: String(holder), name: String(name), address: String(address) },
    epoch: Number(epoch),
    standby: textIn(standby),
  };
}

function textIn(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** Another machine may make it in the same moment. */
const MADE_MEANWHILE = ["23505", "42P07", "42710"];
const NO_RIGHT = "42501";

async function makeTable(sql: SQL, { host, username }: { host: string; username: string | undefined }): Promise<void> {
  const [found] = (await sql.unsafe("SELECT to_regclass($1) IS NOT NULL AS made", [TABLE])) as { made: boolean }[];
  if (found?.made) return;
  try {
    await sql.unsafe(CREATE);
  } catch (error) {
    const state = String((error as { errno?: unknown }).errno);
    if (MADE_MEANWHILE.includes(state)) return;
    if (state !== NO_RIGHT) throw error;
    const statement = CREATE.replace(/\s+/g, " ");
    throw new SendFailure(
      "setup",
      `PostgreSQL at ${host} does not let "${username ?? "this user"}" make a table: run there, as its administrator: ${statement}; GRANT SELECT, INSERT, UPDATE ON ${TABLE} TO "${username ?? "…"}"`,
    );
  }
}
