// hub rules: lists rules, checks them, tries one out, says why one ran or did not, and puts new names of attributes into them. What only a running hub knows, it asks of
// the hub of this home.
import { existsSync } from "node:fs";
import { basename, resolve } from "node:path";
import { HubError } from "../../../kit/schema/errors.ts";
import { isObject, type JsonObject } from "../../../kit/schema/json.ts";
import { printable } from "../../../kit/text/printable.ts";
import { isHomeLocked } from "../../../server/home/lock.ts";
import { actAsOwner } from "../../../server/home/owner.ts";
import type { Home } from "../../../server/home/paths.ts";
import { timezoneOf } from "../../config/location.ts";
import type { HubConfig } from "../../config/sections.ts";
import { checkModes, createReport, findRuleProblems } from "../check.ts";
import { type Command, counted, homeOf, homeOption, type Invocation } from "../command.ts";
import { type HubClient, openHubClient } from "../hub-client.ts";
import { readConfig } from "../prepare.ts";
import { notRunning } from "../reach.ts";
import { findRule, type ListedRule, rulesOfHome, rulesOfHub } from "./listed-rules.ts";
import { createClockface, createPaint, table } from "./text.ts";
import { type TraceTextOptions, traceText } from "./trace-text.ts";
import { testBody } from "./try-rule.ts";
import { turnedText, turnRules } from "./turn.ts";

const ACTIONS = { list, check, test, why, turn };

export const rules: Command = {
  options: {
    ...homeOption,
    trigger: {
      type: "string",
      value: "N",
      doc: "test: which of its triggers fires, by number (from 1) or id; default: the first",
    },
    at: { type: "string", value: "TIME", doc: "test: when it fires, such as 2026-12-24T18:00; default: now" },
    set: {
      type: "string",
      multiple: true,
      value: "DEVICE.ATTRIBUTE=VALUE",
      completes: "attribute",
      doc: "test: assume that a device reports this; may be given several times",
    },
    "dry-run": { type: "boolean", doc: "turn: only show what would be changed" },
    last: { type: "string", value: "N", doc: "why: how many evaluations to show; default: 5" },
    url: { type: "string", value: "ADDRESS", doc: "where the running hub answers, if hub.toml does not say" },
    json: { type: "boolean", doc: "print JSON" },
  },
  maxPositionals: 500,
  completes: { check: "rule", test: "rule", why: "rule", turn: "rule" },
  async run(invocation) {
    const [word = "list", ...names] = invocation.positionals;
    if (!Object.hasOwn(ACTIONS, word))
      throw new HubError("invalid", "say `hub rules list`, `check`, `test NAME`, `why NAME` or `turn`");
    const home = homeOf(invocation);
    using _owner = actAsOwner(home);
    const config = readConfig(home, invocation.io);
    return await ACTIONS[word as keyof typeof ACTIONS]({ invocation, home, config, names });
  },
};

interface Context {
  readonly invocation: Invocation;
  readonly home: Home;
  readonly config: HubConfig;
  /** What follows the word. */
  readonly names: readonly string[];
}

async function list({ invocation, home, config, names }: Context): Promise<number> {
  if (names.length > 0) throw new HubError("invalid", "`hub rules list` takes no name");
  const client = isHomeLocked(home) ? await clientOf({ invocation, home, config }) : undefined;
  const found = client ? await rulesOfHub(client) : rulesOfHome(home);
  const { stdout } = invocation.io.platform;
  if (invocation.options.json) stdout.write(`${JSON.stringify(found)}\n`);
  else stdout.write(listText(found, { ...textOptions(invocation, config), isRunning: client !== undefined }));
  return 0;
}

function listText(
  found: readonly ListedRule[],
  { clockface, paint, isRunning }: TraceTextOptions & { isRunning: boolean },
): string {
  if (found.length === 0) return "there are no rules: put one into rules/, or make one on the page\n";
  const time = (iso: string | null | undefined, none: string): string => (iso ? clockface.at(iso) : none);
  const hasNext = found.some(({ next_run_at }) => next_run_at !== undefined);
  const rows = found.map((rule) => [
    printable(rule.name),
    STATES[rule.state] ?? rule.state,
    time(rule.last_fired_at, "never"),
    ...(hasNext ? [time(rule.next_run_at, "-")] : []),
    noteOf(rule),
  ]);
  const head = ["RULE", "STATE", "LAST RUN", ...(hasNext ? ["NEXT RUN"] : []), ""];
  const note = isRunning ? "" : "The hub is stopped: next runs and last errors are known while it runs.\n";
  const [heading = "", ...lines] = table([head, ...rows]).split("\n");
  return `${[paint("dim", heading), ...lines].join("\n")}${note}`;
}

const STATES: Readonly<Record<string, string>> = { enabled: "on", disabled: "off" };

function noteOf({ problem, running_version, last_error, warnings }: ListedRule): string {
  if (problem !== null)
    return `${printable(problem)}${running_version === "last_good" ? " (what it said before goes on)" : ""}`;
  if (last_error !== null) return `last error: ${printable(last_error.message)}`;
  return warnings > 0 ? counted(warnings, "warning") : "";
}

async function check({ invocation, home, config, names }: Context): Promise<number> {
  const { platform } = invocation.io;
  const report = createReport(invocation);
  const modes = checkModes(home, { located: config.location.latitude !== undefined, report });
  const all = findRuleProblems(home, { config, modes });
  const known = names.length > 0 ? rulesOfHome(home) : [];
  const wanted = names.length > 0 ? new Set(names.map((name) => fileOf(name, known))) : undefined;
  const findings = all.findings.filter(({ file }) => wanted === undefined || wanted.has(basename(file)));
  const problems = findings.filter(({ warning }) => !warning).length;
  findings.forEach(report.noteRule);
  if (invocation.options.json) platform.stdout.write(`${JSON.stringify(report.problems)}\n`);
  else {
    const files = counted(wanted?.size ?? all.files, "rule file");
    const warnings = findings.length - problems;
    if (problems === 0)
      platform.stdout.write(`${files}: ${warnings === 0 ? "nothing wrong" : counted(warnings, "warning")}\n`);
    else platform.stderr.write(`hub: ${counted(problems, "problem")} in ${files}\n`);
  }
  return problems > 0 ? 1 : 0;
}

/** The name of a rule's file, which may also be given with its path. */
function fileOf(name: string, known: readonly ListedRule[]): string {
  return existsSync(resolve(name)) && name.includes("/")
    ? findRule(known, basename(name)).file
    : findRule(known, name).file;
}

async function test({ invocation, home, config, names }: Context): Promise<number> {
  const { options, io } = invocation;
  const set = Array.isArray(options.set) ? options.set.map(String) : [];
  const body = testBody({ trigger: optional(options.trigger), at: optional(options.at), set });
  const client = await runningClient({ invocation, home, config }, "a rule is tried out by the running hub");
  const rule = await named(client, names);
  if (isStopped(rule))
    throw new HubError("conflict", `${rule.name} cannot be tried out, because it does not run: ${rule.problem ?? ""}`);
  const trace = await client.ask("POST", `/rules/${encodeURIComponent(rule.id)}/test`, body);
  if (!isObject(trace)) throw new HubError("upstream_failed", "the hub gave no answer that can be shown");
  io.platform.stdout.write(
    options.json
      ? `${JSON.stringify(trace)}\n`
      : `${printable(rule.name)}, tried out: nothing of this has happened\n${traceText(trace, textOptions(invocation, config))}`,
  );
  return 0;
}

/** Exit code 1 where a rule is left that only a person can change. */
async function turn({ invocation, home, config, names }: Context): Promise<number> {
  const { options, io } = invocation;
  const dryRun = options["dry-run"] === true;
  const client = await runningClient(
    { invocation, home, config },
    "the running hub knows what is called otherwise now",
  );
  const turned = await turnRules(client, { names, dryRun });
  io.platform.stdout.write(options.json ? `${JSON.stringify(turned)}\n` : turnedText(turned, dryRun));
  return turned.some(({ changes }) => changes === undefined) ? 1 : 0;
}

const LAST = 5;

async function why({ invocation, home, config, names }: Context): Promise<number> {
  const { options, io } = invocation;
  const count = options.last === undefined ? LAST : Number(options.last);
  if (!Number.isInteger(count) || count < 1) throw new HubError("invalid", "--last must be a number from 1");
  const client = await runningClient({ invocation, home, config }, "the running hub knows why a rule ran or did not");
  const rule = await named(client, names);
  const answer = await client.ask("GET", `/rules/${encodeURIComponent(rule.id)}/traces`);
  const traces = (Array.isArray(answer) ? answer : []).filter(isObject).slice(0, count);
  io.platform.stdout.write(
    options.json ? `${JSON.stringify(traces)}\n` : whyText(rule, traces, textOptions(invocation, config)),
  );
  return 0;
}

/** Its file is wrong, and there is no version from before that goes on. */
function isStopped({ problem, running_version }: ListedRule): boolean {
  return problem !== null && running_version !== "last_good";
}

function whyText(rule: ListedRule, traces: readonly JsonObject[], options: TraceTextOptions): string {
  const name = printable(rule.name);
  if (isStopped(rule)) return `${name} does not run: ${printable(rule.problem ?? "")}\n`;
  if (traces.length > 0)
    return `${name}, newest first\n\n${traces.map((trace) => traceText(trace, options)).join("\n")}`;
  const why = rule.state === "disabled" ? "it is switched off" : "none of its triggers has fired since the hub started";
  return `${name} has not been evaluated: ${why}\n`;
}

async function named(client: HubClient, [name, another]: readonly string[]): Promise<ListedRule> {
  if (name === undefined || another !== undefined)
    throw new HubError("invalid", "name one rule: by its name in quotes, its file or its id");
  return findRule(await rulesOfHub(client), name);
}

/** Throws HubError `unavailable` where the hub is stopped. */
async function runningClient(context: Omit<Context, "names">, why: string): Promise<HubClient> {
  if (isHomeLocked(context.home)) return clientOf(context);
  throw notRunning(context.home, why);
}

function clientOf({ invocation, home, config }: Omit<Context, "names">): Promise<HubClient> {
  return openHubClient({ home, config, platform: invocation.io.platform, url: optional(invocation.options.url) });
}

function textOptions({ io: { platform } }: Invocation, config: HubConfig): TraceTextOptions {
  return { clockface: createClockface(timezoneOf(config.location)), paint: createPaint(platform.stdout, platform.env) };
}

function optional(value: Invocation["options"][string]): string | undefined {
  return typeof value === "string" ? value : undefined;
}
