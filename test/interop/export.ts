// The history exports of the compiled hub to Debian's PostgreSQL, VictoriaMetrics and InfluxDB: bun test/interop/export.ts [HUB].
// The hub is killed and the databases are stopped in between; at the end nothing may be missing or double, and the queries of the
// Grafana dashboards must find something.
import { mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { SQL } from "bun";
import { createHubPlace } from "../support/hub-place.ts";
import type { HubProcess } from "../support/hub-process.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";
import { until } from "../support/wait.ts";
import { checkArchive } from "./export/archive.ts";
import { askPostgres, askVictoriaMetrics, type QueryResult } from "./export/dashboards.ts";
import { POSTGRES, startInflux, startPostgres, startVictoriaMetrics } from "./export/engines.ts";

if (process.argv[2] !== undefined) process.env.HUB_BINARY = resolve(process.argv[2]);
let failed = 0;

function check(what: string, found: unknown, expected: unknown): void {
  const isRight = Bun.deepEquals(found, expected);
  if (!isRight) failed++;
  process.stdout.write(isRight ? `ok   ${what}\n` : `FAIL ${what}: ${JSON.stringify(found)?.slice(0, 500)}\n`);
}

interface ExportState {
  name: string;
  state: string;
  problem: string | null;
  backfills: unknown[];
}

/** Publishes the numbers from `from` to `to` as states of the meter, one after the other. */
async function publish(hub: HubProcess, from: number, to: number): Promise<void> {
  const client = await hub.mqtt();
  const state = (n: number) => ({ n, temperature: 20 + n / 1000, humidity: 50 + (n % 40), power: n, battery: 90 });
  for (let n = from; n < to; n++) {
    const text = JSON.stringify({ ...state(n), on: n % 2 === 0, mode: n % 2 === 0 ? "eco" : "heat", list: [n] });
    await client.publishAsync("hub/devices/meter/state", text, { qos: 1 });
    // Line protocol has one value for each millisecond.
    await Bun.sleep(3);
  }
  await client.endAsync();
  await until("the hub has the last one", async () => {
    const device = await hub.get<{ attributes: { n?: number } }>("/devices/meter");
    return device.attributes.n === to - 1;
  });
}

/** Waits until so many samples outlive a kill. */
async function onDisk(hub: HubProcess, samples: number): Promise<void> {
  await until("the samples are on the disk", async () => {
    const { history } = await hub.get<{ history: { samples_recorded: number } }>("/system/status");
    return history.samples_recorded >= samples;
  });
}

async function main(): Promise<void> {
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(createTemporaryFolder());
  const work = folder.at("engines");
  mkdirSync(work, { mode: 0o755 });
  Bun.spawnSync(["chmod", "755", folder.path, work]);
  const postgres = stack.use(await startPostgres(join(work, "postgres")));
  const victoria = stack.use(await startVictoriaMetrics(join(work, "victoria")));
  const influx = stack.use(await startInflux(join(work, "influx")));
  const influxQuery = async (q: string, db = "house") => {
    const response = await fetch(`${influx.url}/query?${new URLSearchParams({ q, db })}`, { method: "POST" });
    const { results } = (await response.json()) as { results: { series?: { values: unknown[][] }[] }[] };
    return results[0]?.series?.[0]?.values[0]?.[1];
  };
  await influxQuery("CREATE DATABASE house");

  const place = stack.use(createHubPlace());
  const entry = (name: string, kind: string, url: string, more = "") =>
    `[[history.export]]\nname = "${name}"\nkind = "${kind}"\nurl = "${url}"\ninterval_secs = 1\n${more}\n`;
  const account = `username = "${POSTGRES.username}"\npassword = "${POSTGRES.password}"\nread = true`;
  place.configure({
    toml: [
      entry("pg", "postgres", postgres.url, account),
      entry("vm", "line_protocol", victoria.url),
      entry("influx", "line_protocol", influx.url, 'database = "house"\nstrings = true'),
    ].join(""),
  });
  let hub = stack.use(await place.start());
  const exports = () => hub.get<ExportState[]>("/history/exports");
  const sql = () => new SQL({ url: postgres.url, ...POSTGRES, max: 1 });
  const rowsOf = async (attribute: string): Promise<number> => {
    await using client = sql();
    const [row] = await client`SELECT count(*)::int AS rows FROM hub_history WHERE attribute = ${attribute}`;
    return row.rows;
  };
  const caughtUp = async (last: number): Promise<void> => {
    await until(`PostgreSQL has ${last}`, async () => (await rowsOf("n").catch(() => 0)) >= last);
    await until(`InfluxDB has ${last}`, async () => Number(await influxQuery("SELECT count(n) FROM hub")) >= last);
    await until(`VictoriaMetrics has ${last}`, async () => (await samplesInVictoria(victoria.url)) >= last);
  };

  const client = await hub.mqtt();
  const registration = { device_id: "meter", name: "Meter", device_type: "sensor", area: "cellar" };
  await client.publishAsync("hub/plugins/tester/register", JSON.stringify({ ...registration, plugin_id: "tester" }), {
    qos: 1,
  });
  await client.endAsync();
  const begun = Date.now();
  await publish(hub, 0, 100);
  await caughtUp(100);
  check("all three have what was recorded", true, true);

  // What it has sent is not noted yet: it is sent again.
  await onDisk(hub, 700);
  hub.kill("SIGKILL");
  await hub.exited;
  hub = stack.use(await place.start());
  await postgres.stop();
  await publish(hub, 100, 200);
  // What devices said in the last seconds is not on the disk: a kill takes that from the hub's own history, too.
  await onDisk(hub, 700);
  hub.kill("SIGKILL");
  await postgres.start();
  await hub.exited;
  hub = stack.use(await place.start());
  await caughtUp(200);
  check("killed twice: every row is in PostgreSQL once", await rowsOf("n"), 200);

  await postgres.stop();
  await publish(hub, 200, 300);
  await until("the hub notices", async () => (await exports()).some(({ name, problem }) => name === "pg" && problem));
  // One that a busy machine let wait too long says so until the next try.
  await until("the others go on", async () =>
    (await exports()).every(({ name, problem }) => (problem === null) === (name !== "pg")),
  );
  await postgres.start();
  await caughtUp(300);
  check("PostgreSQL away for a while: every row is there once", await rowsOf("n"), 300);
  {
    await using db = sql();
    const [row] = await db`SELECT count(value)::int AS numbers, count(bool)::int AS bools, count(text)::int AS texts,
      count(json)::int AS lists, count(DISTINCT (device, area, plugin))::int AS tags FROM hub_history
      WHERE device = 'meter' AND attribute <> 'battery'`;
    check("numbers, booleans, texts and lists are in their columns", row, {
      ...{ numbers: 1200, bools: 300, texts: 300, lists: 300, tags: 1 },
    });
    await db`DROP TABLE hub_history`;
  }
  check("InfluxDB has each number once", Number(await influxQuery("SELECT count(n) FROM hub")), 300);
  check(
    "… and booleans and texts",
    [
      Number(await influxQuery('SELECT count("on") FROM hub WHERE "on" = true')),
      Number(await influxQuery("SELECT count(mode) FROM hub WHERE mode = 'eco'")),
    ],
    [150, 150],
  );
  check("VictoriaMetrics has each number once", await samplesInVictoria(victoria.url), 300);

  const backfilled = await place.run(["export", "backfill", "pg", "--url", hub.api.replace("/api/v1", "")]);
  check("hub export backfill is accepted", backfilled.code, 0);
  await until("the backfill is done", async () => {
    const pg = (await exports()).find(({ name }) => name === "pg");
    return pg?.backfills.length === 0 && pg.problem === null && (await rowsOf("n").catch(() => 0)) > 0;
  });
  {
    await using db = sql();
    const [row] = await db`SELECT count(*)::int AS rows, count(DISTINCT value)::int AS numbers, max(value) AS last
      FROM hub_history WHERE attribute = 'n'`;
    check("backfill after PostgreSQL lost its table: everything recorded is there once", row, {
      ...{ rows: 300, numbers: 300, last: 299 },
    });
  }

  const window = { from: begun - 60_000, to: Date.now(), area: "cellar", device: "meter", attribute: "n" };
  {
    await using db = sql();
    const empty = ({ rows }: QueryResult) => rows === 0;
    check(
      "each query of the dashboard for PostgreSQL finds something",
      (await askPostgres(db, window)).filter(empty),
      [],
    );
    const asked = await askVictoriaMetrics(victoria.url, window);
    check("each query of the dashboard for VictoriaMetrics finds something", asked.filter(empty), []);
  }
  const archive = await checkArchive(postgres.url);
  check("history that was removed is read from PostgreSQL, page by page the same", archive, []);
}

async function samplesInVictoria(url: string): Promise<number> {
  const query = new URLSearchParams({ "match[]": "hub_n" });
  await fetch(`${url}/internal/force_flush`);
  const text = await (await fetch(`${url}/api/v1/export?${query}`)).text();
  const series = text.split("\n").filter(Boolean);
  return new Set(series.flatMap((line) => (JSON.parse(line) as { values: number[] }).values)).size;
}

try {
  await main();
} catch (error) {
  failed++;
  process.stdout.write(`FAIL ${error instanceof Error ? error.stack : error}\n`);
}
process.stdout.write(failed === 0 ? "all exports agree\n" : `${failed} checks failed\n`);
process.exit(failed === 0 ? 0 : 1);
