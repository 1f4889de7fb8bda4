// `[[history.export]]`: where else the history goes.
import { type Static, Type } from "@sinclair/typebox";
import type { Problem } from "../../kit/schema/schema.ts";

const patterns = (what: string) =>
  Type.Array(Type.String({ minLength: 1 }), {
    default: [],
    expected: "a list of texts, in which * matches any text",
    description: what,
  });
const TABLE = "^[a-z_][a-z0-9_]{0,62}(\\.[a-z_][a-z0-9_]{0,62})?$";

export const HistoryExport = Type.Object(
  {
    name: Type.String({
      pattern: "^[A-Za-z0-9_-]{1,64}$",
      problem: "must be 1 to 64 letters, digits, dashes or underscores",
      description: "Where it stands is remembered under this name",
    }),
    kind: Type.Union([Type.Literal("line_protocol"), Type.Literal("postgres")], {
      description: "line_protocol: InfluxDB, VictoriaMetrics, QuestDB, Telegraf; postgres: also TimescaleDB",
    }),
    enabled: Type.Boolean({ default: true }),
    url: Type.String({
      minLength: 1,
      maxLength: 2000,
      description: "http://HOST:PORT, or postgres://HOST:PORT/DATABASE; a path that is given is kept",
    }),
    username: Type.Optional(Type.String({ minLength: 1 })),
    password: Type.Optional(Type.String({ secret: true })),
    token: Type.Optional(Type.String({ minLength: 1, secret: true, description: "Of InfluxDB 2 and 3, or QuestDB" })),
    database: Type.Optional(Type.String({ minLength: 1, description: "Of InfluxDB 1, where the url has no path" })),
    org: Type.Optional(Type.String({ minLength: 1, description: "Of InfluxDB 2" })),
    bucket: Type.Optional(Type.String({ minLength: 1, description: "Of InfluxDB 2 and 3" })),
    table: Type.String({
      default: "hub_history",
      pattern: TABLE,
      problem: "must be a name of small letters, digits and underscores, such as hub_history or house.history",
      description: "Of PostgreSQL; made if it is missing",
    }),
    ca: Type.Optional(
      Type.String({ minLength: 1, description: "PEM file of the authority that signed the server's certificate" }),
    ),
    gzip: Type.Boolean({ default: true, description: "Whether line protocol is sent compressed; false for QuestDB" }),
    strings: Type.Optional(
      Type.Boolean({ description: "Whether texts, lists and objects go there; only to PostgreSQL where absent" }),
    ),
    booleans_as_numbers: Type.Boolean({
      default: false,
      description: "1 and 0 in line protocol, where the same attribute is a number of another device",
    }),
    devices: patterns("Only these; all where it is empty"),
    areas: patterns("Only devices in these areas, by name or id; all where it is empty"),
    attributes: patterns("Only these; all where it is empty"),
    exclude_devices: patterns("Not these"),
    exclude_areas: patterns("Not devices in these areas"),
    exclude_attributes: patterns("Not these"),
    interval_secs: Type.Integer({ default: 5, minimum: 1, maximum: 3600, description: "How often it sends" }),
    batch: Type.Integer({ default: 5000, minimum: 10, maximum: 5000, description: "Samples in one message at most" }),
    alert_minutes: Type.Integer({
      default: 60,
      minimum: 1,
      maximum: 43_200,
      description: "An alert is raised when it is so far behind",
    }),
    read: Type.Boolean({
      default: false,
      description: "Whether the hub reads from there what its own history has removed; one of kind postgres",
    }),
  },
  { additionalProperties: false },
);
export type HistoryExport = Static<typeof HistoryExport>;

export const HistoryExports = Type.Array(HistoryExport, {
  default: [],
  maxItems: 10,
  expected: "a list of tables: write [[history.export]]",
});
export type HistoryExports = Static<typeof HistoryExports>;

const SCHEMES = { line_protocol: ["http:", "https:"], postgres: ["postgres:", "postgresql:"] } as const;
const LINE_PROTOCOL_ONLY = ["token", "database", "org", "bucket"] as const;

export function historyExportProblems(exports: HistoryExports): Problem[] {
  return exports.flatMap((entry, index) => {
    const path = `history.export[${index}]`;
    const problems = entryProblems(entry).map((problem) => ({ ...problem, path: `${path}.${problem.path}` }));
    if (exports.findIndex(({ name }) => name === entry.name) < index)
      problems.push({ path: `${path}.name`, message: `"${entry.name}" is another export's name` });
    if (entry.read && exports.findIndex(({ read }) => read) < index)
      problems.push({ path: `${path}.read`, message: "only one export can be the one that is read from" });
    return problems;
  });
}

function entryProblems(entry: HistoryExport): Problem[] {
  const { kind, url, read, token, username, bucket, org, database } = entry;
  const problems = urlProblems(entry);
  const isPostgres = kind === "postgres";
  for (const key of LINE_PROTOCOL_ONLY)
    if (isPostgres && entry[key] !== undefined)
      problems.push({
        path: key,
        message: `is for kind = "line_protocol"; a database of PostgreSQL stands in its url`,
      });
  if (read && !isPostgres) problems.push({ path: "read", message: 'only kind = "postgres" can be read from' });
  if (token !== undefined && username !== undefined)
    problems.push({ path: "token", message: "give either token, or username and password" });
  if (bucket !== undefined && database !== undefined)
    problems.push({ path: "database", message: "give either bucket (InfluxDB 2 and 3), or database (InfluxDB 1)" });
  if (org !== undefined && bucket === undefined && !isPostgres && hasNoPath(url))
    problems.push({ path: "org", message: "needs bucket as well" });
  return problems;
}

function urlProblems({ kind, url }: HistoryExport): Problem[] {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  const example = kind === "postgres" ? "postgres://192.168.1.5:5432/house" : "http://192.168.1.5:8428";
  if (!parsed || !(SCHEMES[kind] as readonly string[]).includes(parsed.protocol) || parsed.hostname === "")
    return [{ path: "url", message: `must be an address such as ${example}` }];
  if (parsed.password !== "" || parsed.username !== "" || /(token|password|p)=/.test(parsed.search))
    return [{ path: "url", message: "must be without user and password, as it is shown: give username and password" }];
  if (kind === "postgres" && parsed.pathname.length < 2)
    return [{ path: "url", message: `needs the name of the database: ${example}` }];
  return [];
}

export function hasNoPath(url: string): boolean {
  return ["", "/"].includes(new URL(url).pathname);
}
