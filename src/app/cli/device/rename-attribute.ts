// hub devices rename-attribute: another name for an attribute, in everything that names it.
import { HubError } from "../../../kit/schema/errors.ts";
import { isObject, type Json, type JsonObject } from "../../../kit/schema/json.ts";
import { printable } from "../../../kit/text/printable.ts";
import { type Invocation, print } from "../command.ts";
import type { HubClient } from "../hub-client.ts";
import { table } from "../rules/text.ts";

export async function renameAttribute(invocation: Invocation, client: HubClient): Promise<number> {
  const [, name, from, to] = invocation.positionals;
  if (invocation.options.suggest === true) return await suggest(invocation, client);
  if (name === undefined || from === undefined || to === undefined)
    throw new HubError(
      "invalid",
      "say `hub devices rename-attribute DEVICE OLD NEW`, or `hub devices rename-attribute DEVICE --suggest`",
    );
  const isDry = invocation.options["dry-run"] === true;
  const path = `/devices/${encodeURIComponent(name)}/attributes/${encodeURIComponent(from)}`;
  const answer = await client.ask("PATCH", `${path}?dry_run=${isDry}`, { name: to });
  print(invocation, answer, () => renamedText(isObject(answer) ? answer : {}));
  return 0;
}

/** Only names what could be renamed: a house goes on with the names that it has. */
async function suggest(invocation: Invocation, client: HubClient): Promise<number> {
  const [, name, ...more] = invocation.positionals;
  if (name === undefined || more.length > 0)
    throw new HubError("invalid", "say `hub devices rename-attribute DEVICE --suggest`");
  const answer = await client.ask("GET", `/devices/${encodeURIComponent(name)}/attribute-names`);
  const all = (Array.isArray(answer) ? answer : []).filter(isObject);
  const better = all.filter(({ suggested }) => typeof suggested === "string");
  print(invocation, better, () => suggestedText(name, better));
  return 0;
}

function suggestedText(device: string, better: readonly JsonObject[]): string {
  if (better.length === 0) return `a new house would call no attribute of ${shown(device)} otherwise\n`;
  const lines = better.map(({ name, suggested }) => [shown(name), shown(suggested)]);
  return `${table([["NOW", "BETTER"], ...lines])}\nhub devices rename-attribute ${shown(device)} ${lines[0]?.join(" ")} --dry-run\n`;
}

function renamedText({ device_id, from, to, renamed, places }: JsonObject): string {
  const list = Array.isArray(places) ? places.filter(isObject) : [];
  const said = renamed === true ? "is called" : "would be called";
  return `${shown(from)} of ${shown(device_id)} ${said} ${shown(to)}\n${list.map(placeText).join("")}`;
}

function placeText({ kind, name, changes, why_not }: JsonObject): string {
  if (typeof why_not === "string") return `  ${shown(kind)} ${shown(name)}: not changed, ${printable(why_not)}\n`;
  const lines = (Array.isArray(changes) ? changes.filter(isObject) : []).flatMap(({ line, before, after }) => [
    `    ${String(line)} - ${shown(before).trim()}\n`,
    `    ${String(line)} + ${shown(after).trim()}\n`,
  ]);
  return `  ${shown(kind)} ${shown(name)}\n${lines.join("")}`;
}

const shown = (value: Json | undefined): string => printable(typeof value === "string" ? value : "");
