// hub devices rename-attribute: another name for an attribute, in everything that names it.
import { HubError } from "../../core/errors.ts";
import { isObject, type Json, type JsonObject } from "../../core/json.ts";
import { printable } from "../../core/printable.ts";
import { type Invocation, print } from "../command.ts";
import type { HubClient } from "../hub-client.ts";

export async function renameAttribute(invocation: Invocation, client: HubClient): Promise<number> {
  const [, name, from, to] = invocation.positionals;
  if (name === undefined || from === undefined || to === undefined)
    throw new HubError("invalid", "say `hub devices rename-attribute DEVICE OLD NEW`");
  const isDry = invocation.options["dry-run"] === true;
  const path = `/devices/${encodeURIComponent(name)}/attributes/${encodeURIComponent(from)}`;
  const answer = await client.ask("PATCH", `${path}?dry_run=${isDry}`, { name: to });
  print(invocation, answer, () => renamedText(isObject(answer) ? answer : {}));
  return 0;
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
