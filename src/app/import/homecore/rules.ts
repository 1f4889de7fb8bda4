// Rule files of the old house. Their texts stay as they are; only what homeCore keeps elsewhere (the groups a rule is in) and
// what cannot run here (scripts) is put into the text, where the text can be read.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { isObject, type Json } from "../../../kit/schema/json.ts";
import { setTopLevel } from "../../../rules/parse/edit/set-key.ts";
import { MAX_RULE_BYTES, readRuleText } from "../../../rules/parse/read.ts";
import { freeFileName, readRuleFile, ruleFilesIn } from "../../../rules/store/disk.ts";
import { cleanName, type Report } from "../report.ts";
import type { RuleFileText } from "./archive.ts";
import type { HomecoreClient } from "./client.ts";
import type { OldGroup, OldRule } from "./shapes.ts";

export interface OldRuleText extends OldRule {
  /** Its name there, if that is known. */
  readonly file: string | undefined;
  readonly text: string;
}

const MAX_RULES = 2000;

/** The text of each rule: from the backup where it holds it, else over REST. What has none is in the report. */
export async function readRuleTexts(
  client: HomecoreClient,
  { rules, files, report }: { rules: readonly OldRule[]; files: readonly RuleFileText[]; report: Report },
): Promise<OldRuleText[]> {
  const packed = new Map<string, RuleFileText>();
  const texts: OldRuleText[] = [];
  const listed = new Set(rules.map(({ id }) => id));
  for (const file of files) {
    const value = readRuleText(file.text, { file: file.file }).value;
    const id = typeof value?.id === "string" ? value.id : undefined;
    if (id !== undefined && listed.has(id)) packed.set(id, file);
    else texts.push({ id: id ?? "", name: nameIn(value?.name) ?? file.file, ...file });
  }
  for (const rule of rules.slice(0, MAX_RULES)) {
    const file = packed.get(rule.id);
    const text = file?.text ?? (await textOver(client, rule, report));
    if (text !== undefined) texts.push({ ...rule, file: file?.file, text });
  }
  for (const { name } of rules.slice(MAX_RULES))
    report.add("rule", name, "left", `there are more than ${MAX_RULES} rules, and this hub takes no more`);
  return texts;
}

function nameIn(name: Json | undefined): string | undefined {
  return typeof name === "string" && name !== "" ? name : undefined;
}

async function textOver(client: HomecoreClient, { id, name }: OldRule, report: Report): Promise<string | undefined> {
  try {
    const text = await client.text(`/automations/${encodeURIComponent(id)}/ron`);
    if (Buffer.byteLength(text) <= MAX_RULE_BYTES) return text;
    report.add("rule", name, "left", "its text is larger than a megabyte");
  } catch (error) {
    if ((error as { code?: unknown }).code !== "not_found") throw error;
    report.add("rule", name, "left", "homeCore has no file of it: save it there once, then import again");
  }
  return undefined;
}

export interface RulesImport {
  /** `rules/` of the home that is being made. */
  readonly folder: string;
  readonly groups: readonly OldGroup[];
  readonly report: Report;
}

export interface WrittenRule {
  readonly name: string;
  readonly notes: readonly string[];
  /** So it is switched off, and `hub check` need not be asked why it does not run. */
  readonly runsScript: boolean;
}

/** Returns what was written, by the file's name. */
export function importRules(
  texts: readonly OldRuleText[],
  { folder, groups, report }: RulesImport,
): Map<string, WrittenRule> {
  const present = presentRules(folder);
  const written = new Map<string, WrittenRule>();
  const newIds = new Set<string>();
  for (const rule of texts) {
    const { text, notes, runsScript } = adapted(rule, groups);
    const here = present.byId.get(rule.id) ?? present.byText.get(text);
    if (here !== undefined) {
      report.add(
        "rule",
        rule.name,
        "there",
        present.byText.has(text) ? undefined : `${here} is another version of it, and stays`,
      );
      continue;
    }
    const file = fileFor(folder, rule, present.files);
    writeFileSync(join(folder, file), text, { flag: "wx", mode: 0o600 });
    present.files.add(file);
    present.byText.set(text, file);
    if (rule.id !== "") present.byId.set(rule.id, file);
    written.set(file, { name: rule.name, notes, runsScript });
    newIds.add(rule.id);
  }
  for (const group of groups) noteGroup(group, { newIds, hereIds: new Set(present.byId.keys()), report });
  return written;
}

/** What a tag does not do that a group did. */
function noteGroup(
  { name, description, rule_ids: ids }: OldGroup,
  { newIds, hereIds, report }: { newIds: ReadonlySet<string>; hereIds: ReadonlySet<string>; report: Report },
): void {
  const shown = `the group of rules "${name}"`;
  const missing = ids.filter((id) => !hereIds.has(id)).length;
  if (missing === ids.length) {
    report.add("other", shown, "left", ids.length === 0 ? "it has no rules" : "none of its rules is here");
    return;
  }
  const notes = [
    "it is a tag of its rules here, which are switched on and off one by one: a mode as a condition of each does it for all",
    ...(missing > 0 ? [`${missing} of its rules are not here`] : []),
    ...(description ? [`its description is left out: ${description.slice(0, 200)}`] : []),
  ];
  report.add("other", shown, ids.some((id) => newIds.has(id)) ? "changed" : "there", notes.join("; "));
}

function presentRules(folder: string) {
  const files = new Set(ruleFilesIn(folder));
  const byId = new Map<string, string>();
  const byText = new Map<string, string>();
  for (const file of files) {
    const read = readRuleFile(join(folder, file));
    if (!read?.ok) continue;
    byText.set(read.text, file);
    const id = readRuleText(read.text, { file }).value?.id;
    if (typeof id === "string" && id !== "") byId.set(id, file);
  }
  return { files, byId, byText };
}

function fileFor(folder: string, { id, name, file }: OldRuleText, taken: ReadonlySet<string>): string {
  if (file !== undefined && !taken.has(file)) return file;
  return freeFileName(folder, { name: cleanName(name) ?? id, id });
}

interface Adapted {
  text: string;
  notes: string[];
  runsScript: boolean;
}

/** The text with the tags of its groups, and switched off where it runs a script. */
function adapted({ id, text }: OldRuleText, groups: readonly OldGroup[]): Adapted {
  const notes: string[] = [];
  const value = readRuleText(text).value;
  let edited = text;
  const set = (key: string, to: boolean | string[]): boolean => {
    const result = setTopLevel(edited, key, to);
    if (result.ok) edited = result.text;
    return result.ok;
  };
  const names = groups
    .filter(({ rule_ids }) => id !== "" && rule_ids.includes(id))
    .flatMap(({ name }) => cleanName(name)?.slice(0, 100) ?? []);
  if (names.length > 0) {
    const tags = Array.isArray(value?.tags) ? value.tags.filter((tag) => typeof tag === "string") : [];
    const done = set("tags", [...new Set([...tags, ...names])]);
    notes.push(done ? `its groups are tags here: ${names.join(", ")}` : `add its groups as tags: ${names.join(", ")}`);
  }
  const hasScript = holdsScript(value ?? text);
  if (hasScript) {
    const done = value?.enabled === false || set("enabled", false);
    notes.push(`${done ? "it is switched off" : "switch it off"}, because it runs a script, which this hub does not`);
  }
  return { text: edited, notes, runsScript: hasScript };
}

function holdsScript(value: Json): boolean {
  if (typeof value === "string") return /\bRunScript\s*\(|"?type"?\s*[:=]\s*"run_script"/.test(value);
  if (Array.isArray(value)) return value.some((item) => typeof item === "object" && holdsScript(item));
  if (!isObject(value)) return false;
  if (value.type === "run_script") return true;
  return Object.values(value).some((item) => typeof item === "object" && item !== null && holdsScript(item));
}
