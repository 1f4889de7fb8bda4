// hub rules turn: puts the present names of attributes into rules that were written when those had others.
import { isObject, type Json, type JsonObject } from "../../../kit/schema/json.ts";
import { printable } from "../../../kit/text/printable.ts";
import type { HubClient } from "../hub-client.ts";
import { findRule, rulesOfHub } from "./listed-rules.ts";

export interface Turned {
  id: string;
  name: string;
  file: string;
  devices: readonly JsonObject[];
  /** What was, or would be, changed; absent where only a person can. */
  changes?: readonly JsonObject[];
  why_not?: string;
}

/** The named rules of those that the hub lists, or all. Throws HubError. */
export async function turnRules(
  client: HubClient,
  { names, dryRun }: { names: readonly string[]; dryRun: boolean },
): Promise<Turned[]> {
  const listed = objects(await client.ask("GET", "/rules/renamed-attributes"));
  const known = names.length > 0 ? await rulesOfHub(client) : [];
  const wanted = new Set(names.map((name) => findRule(known, name).id));
  const turned: Turned[] = [];
  for (const rule of listed.filter(({ rule_id }) => wanted.size === 0 || wanted.has(String(rule_id)))) {
    const { rule_id, rule_name, file, devices, why_not } = rule;
    const about = {
      id: String(rule_id),
      name: String(rule_name),
      file: String(file),
      devices: objects(devices ?? null),
    };
    if (typeof why_not === "string") {
      turned.push({ ...about, why_not });
      continue;
    }
    const path = `/rules/${encodeURIComponent(about.id)}/rename-attributes`;
    const shown = await client.ask("POST", `${path}?dry_run=true`);
    if (!dryRun) await client.ask("POST", path);
    turned.push({ ...about, changes: objects(isObject(shown) ? (shown.changes ?? null) : null) });
  }
  return turned;
}

export function turnedText(turned: readonly Turned[], dryRun: boolean): string {
  if (turned.length === 0) return "nothing to turn: no rule uses an attribute that is called otherwise now\n";
  return turned.map((one) => textOf(one, dryRun)).join("\n");
}

function textOf({ name, file, devices, changes, why_not }: Turned, dryRun: boolean): string {
  const about = devices.map(
    ({ device_name, from, to }) => `  ${shown(device_name)}: ${shown(from)} is ${shown(to)} now\n`,
  );
  const head = `${printable(name)} (${printable(file)})`;
  if (changes === undefined) return `${head}: not changed, ${printable(why_not ?? "")}\n${about.join("")}`;
  const lines = changes.flatMap(({ line, before, after }) => [
    `  ${String(line)} - ${shown(before).trim()}\n`,
    `  ${String(line)} + ${shown(after).trim()}\n`,
  ]);
  return `${head}: ${dryRun ? "would be turned" : "turned"}\n${about.join("")}${lines.join("")}`;
}

const shown = (value: Json | undefined): string => printable(typeof value === "string" ? value : "");

function objects(value: Json): JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}
