// A connection to PostgreSQL through Bun's client: opened when it is needed, closed after whatever went wrong with it.
import type { SQL } from "bun";
import { messageOf } from "../../kit/schema/errors.ts";
import type { HistoryExport } from "./config.ts";
import { SendFailure } from "./target.ts";

export type Row = Record<string, unknown>;

export interface PostgresConnection extends AsyncDisposable {
  /** Throws SendFailure; also where the signal aborts. */
  run(
    query: (sql: SQL) => Promise<Row[] & { count?: number }>,
    signal: AbortSignal,
  ): Promise<Row[] & { count?: number }>;
}

type Address = Pick<HistoryExport, "url" | "username" | "password" | "table">;

export interface ConnectionOptions {
  config: Address;
  /** The text of the file `ca`. */
  ca: string | undefined;
  /** Runs once on each new connection. */
  prepare?: (sql: SQL) => Promise<void>;
}

/** Bun's own, in real time; the caller's signal comes before it. */
const CONNECT_SECS = 30;
/** Columns that another table of this name does not have, and tables that are gone. */
const [NO_TABLE, NO_COLUMN, NO_RIGHT, NO_DATABASE] = ["42P01", "42703", "42501", "3D000"];

export function createPostgresConnection({ config, ca, prepare }: ConnectionOptions): PostgresConnection {
  let open: Promise<SQL> | undefined;
  let current: SQL | undefined;

  async function connect(): Promise<SQL> {
    const { SQL } = await import("bun");
    const sql = new SQL({
      url: config.url,
      ...(config.username !== undefined && { username: config.username }),
      ...(config.password !== undefined && { password: config.password }),
      ...(ca !== undefined && { tls: { ca, rejectUnauthorized: true } }),
      max: 1,
      connectionTimeout: CONNECT_SECS,
      connection: { application_name: "hub", timezone: "UTC" },
    });
    current = sql;
    await sql.connect();
    await prepare?.(sql);
    return sql;
  }

  function close(): void {
    const [sql, opening] = [current, open];
    [open, current] = [undefined, undefined];
    opening?.catch(() => {});
    sql?.close({ timeout: 0 }).catch(() => {});
  }

  return {
    async run(query, signal) {
      const aborted = Promise.withResolvers<never>();
      const onAbort = () => aborted.reject(signal.reason);
      signal.addEventListener("abort", onAbort);
      aborted.promise.catch(() => {});
      try {
        signal.throwIfAborted();
        open ??= connect();
        return await Promise.race([open.then(query), aborted.promise]);
      } catch (error) {
        const failure = failureOf(error, config);
        // What is wrong with a row is not wrong with the connection.
        if (failure.kind !== "content") close();
        throw failure;
      } finally {
        signal.removeEventListener("abort", onAbort);
      }
    },
    async [Symbol.asyncDispose]() {
      close();
    },
  };
}

function failureOf(error: unknown, { url, username, table }: Address): SendFailure {
  if (error instanceof SendFailure) return error;
  const { host, pathname } = new URL(url);
  const state = stateOf(error);
  const said = messageOf(error).replace(/\s+/g, " ").slice(0, 300);
  const setup = (what: string) => new SendFailure("setup", `PostgreSQL at ${host} ${what}`);
  if (state === undefined) return unreachable(error, host, said);
  if (state.startsWith("28")) return setup(`does not accept the user "${username ?? ""}" with this password: ${said}`);
  if (state === NO_DATABASE) return setup(`has no database "${decodeURIComponent(pathname.slice(1))}": make it`);
  if (state === NO_RIGHT) return setup(`does not let this user do it: ${said}`);
  if (state === NO_COLUMN) return setup(`has a table "${table}" with other columns: give table another name`);
  if (state === NO_TABLE) return new SendFailure("later", `the table "${table}" is gone: it is made anew`);
  // Data that cannot be stored: the rest of the batch can.
  if (state.startsWith("22") || state.startsWith("23")) return new SendFailure("content", said);
  if (/^(08|40|53|55|57|58|25)/.test(state)) return new SendFailure("later", `PostgreSQL at ${host}: ${said}`);
  return setup(`refuses: ${said} (${state})`);
}

/** The five characters of SQLSTATE; undefined where the server did not say anything. */
function stateOf(error: unknown): string | undefined {
  const state = (error as { errno?: unknown } | null)?.errno;
  return typeof state === "string" && /^[0-9A-Z]{5}$/.test(state) ? state : undefined;
}

function unreachable(error: unknown, host: string, said: string): SendFailure {
  const code = (error as { code?: unknown } | null)?.code;
  if (code === "ERR_POSTGRES_TLS_NOT_AVAILABLE")
    return new SendFailure("setup", `PostgreSQL at ${host} has no TLS: turn it on there, or leave out ca and sslmode`);
  if (/certificate|CERT|SELF_SIGNED/i.test(`${code} ${said}`))
    return new SendFailure("setup", `PostgreSQL at ${host} has a certificate that is not trusted (${said}): see ca`);
  return new SendFailure("later", `PostgreSQL at ${host} does not answer: ${said}`);
}
