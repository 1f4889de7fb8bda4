// What `hub import` prints: a table of what moved, what changed and what did not, for people, or all of it as JSON.
import type { Home } from "../../server/home/paths.ts";
import type { Imported } from "../import/homecore/import-homecore.ts";
import { KINDS, type Kind, type Outcome, type ReportEntry } from "../import/report.ts";

export interface ShownImport extends Imported {
  readonly home: Home;
  readonly url: string;
  readonly dryRun: boolean;
}

const PLURALS: Readonly<Record<Kind, string>> = {
  device: "devices",
  area: "areas",
  scene: "scenes",
  rule: "rules",
  mode: "modes",
  timer: "timers",
  switch: "switches",
  group: "groups",
  schedule: "schedules",
  calendar: "calendars",
  variable: "variables",
  user: "users",
  history: "history",
  setting: "settings",
  plugin: "plugins",
  other: "other",
};
const COLUMNS: readonly (readonly [Outcome, string])[] = [
  ["moved", "moved"],
  ["changed", "changed"],
  ["there", "here before"],
  ["left", "not moved"],
];

export function importText(shown: ShownImport): string {
  const { entries, dryRun } = shown;
  return [
    table(entries),
    section("Moved, with something to know:", entries, "changed"),
    section("Not moved:", entries, "left"),
    section("Here before, and kept:", entries, "there"),
    dryRun ? "This was a dry run: nothing was changed.\n" : ending(shown),
  ]
    .filter((part) => part !== "")
    .join("\n");
}

export function importJson({ entries, logins, kept, home, url, dryRun }: ShownImport): string {
  const counts = Object.fromEntries(
    KINDS.map((kind) => [
      kind,
      Object.fromEntries(COLUMNS.map(([outcome]) => [outcome, count(entries, kind, outcome)])),
    ]),
  );
  return `${JSON.stringify({ dry_run: dryRun, home: home.root, url, counts, entries, logins, kept: kept ?? null })}\n`;
}

function table(entries: readonly ReportEntry[]): string {
  const kinds = KINDS.filter((kind) => entries.some((entry) => entry.kind === kind));
  const width = Math.max(...kinds.map((kind) => PLURALS[kind].length), 0);
  const head = `${"".padEnd(width)}${COLUMNS.map(([, title]) => title.padStart(13)).join("")}\n`;
  const row = (kind: Kind): string =>
    `${PLURALS[kind].padEnd(width)}${COLUMNS.map(([outcome]) => String(count(entries, kind, outcome) || "-").padStart(13)).join("")}\n`;
  return head + kinds.map(row).join("");
}

function count(entries: readonly ReportEntry[], kind: Kind, outcome: Outcome): number {
  const counted = entries.filter((entry) => entry.kind === kind && entry.outcome === outcome);
  return counted.reduce((sum, entry) => sum + entry.count, 0);
}

/** Those with something to say; what moved as it was needs no line. */
function section(title: string, entries: readonly ReportEntry[], outcome: Outcome): string {
  const wanted = entries.filter((entry) => entry.outcome === outcome && entry.note !== undefined);
  if (wanted.length === 0) return "";
  const lines = wanted.map(({ kind, name, note }) => `  ${kind === "other" ? "" : `${kind} `}${name}: ${note}\n`);
  return `${title}\n${lines.join("")}`;
}

function ending({ logins, kept, home }: ShownImport): string {
  if (kept === undefined) return `There was nothing new to move: ${home.root} is as it was.\n`;
  return [
    passwords(logins),
    `${home.root} holds the house now. \`hub restore --undo\` brings back what was there before.\n`,
    "Stop homeCore before you start the hub: two hubs must not command the same devices.\n",
    "Then `hub rules list` shows which rules run, and `hub rules check` what is wrong with the others.\n",
  ].join("");
}

function passwords(logins: Imported["logins"]): string {
  if (logins.length === 0) return "";
  const width = Math.max(...logins.map(({ username }) => username.length));
  const rows = logins.map(({ username, password, role }) => `  ${username.padEnd(width)}  ${password}  ${role}\n`);
  return `New passwords, shown only this once (\`hub passwd USER\` makes another):\n${rows.join("")}\n`;
}
