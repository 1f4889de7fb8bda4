// Twin of the history's queries: the same rows read with plain SQL and sent as JSON by a bare Bun.serve. No paging, merging,
// value that stood before, accounts; a bucket is SQLite's own avg over days of UTC, not weighted by time. Argument: the file.
import { Database } from "bun:sqlite";

const db = new Database(process.argv[2] ?? "", { readonly: true });
const idsOf = db.query<{ id: number; attribute: string }, [string]>(
  "SELECT id, attribute FROM series WHERE device_id = ?",
);
const raw = db.query<Row, [number, number, number]>(
  "SELECT at, value, type FROM samples WHERE series_id = ? AND at >= ? AND at < ? ORDER BY at",
);
const days = db.query<Row, [number, number, number]>(
  `SELECT at / 86400000 * 86400000 AS at, avg(value) AS value, count(*) AS count FROM samples
   WHERE series_id = ? AND at >= ? AND at < ? GROUP BY 1`,
);
interface Row {
  at: number;
  value: unknown;
  count?: number;
}

const server = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  fetch(request) {
    const { pathname, searchParams } = new URL(request.url);
    const attribute = searchParams.get("attribute");
    const [from, to] = [Number(searchParams.get("from")) * 1000, Number(searchParams.get("to")) * 1000];
    const query = searchParams.has("bucket") ? days : raw;
    const device = pathname.split("/")[4] ?? "";
    const items = idsOf
      .all(device)
      .filter((series) => attribute === null || series.attribute === attribute)
      .flatMap(({ id, attribute }) =>
        query.all(id, from, to).map(({ at, ...row }) => ({ timestamp: new Date(at).toISOString(), attribute, ...row })),
      );
    return Response.json(items);
  },
});
process.stdout.write(`http port=${server.port}\n`);
