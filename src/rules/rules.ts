// The entry point of rules: it connects the rule files with the engine that runs them, and offers both to the API. A rule
// goes from its file (store/) through the reader (parse/, read/) into the engine, which runs its actions.
import { join } from "node:path";
import { type FolderWatch, watchFolder } from "../kit/files/folder-watch.ts";
import type { FolderNotices } from "../kit/lifecycle/folder-notices.ts";
import type { PublicOf } from "../kit/lifecycle/public-of.ts";
import { takeTurns } from "../kit/lifecycle/take-turns.ts";
import { HubError } from "../kit/schema/errors.ts";
import type { JsonObject } from "../kit/schema/json.ts";
import type { Problem } from "../kit/schema/schema.ts";
import { etagOf } from "../kit/text/etag.ts";
import type { EventFeed } from "../server/events/feed.ts";
import { actions } from "./actions/index.ts";
import { conditions } from "./conditions/index.ts";
import { Engine, type RunOptions } from "./engine/engine.ts";
import type { RunInfo } from "./engine/runs/run-list.ts";
import { createWebhooks, type WebhookCall, type Webhooks } from "./engine/triggering/webhooks.ts";
import type { EngineOptions } from "./engine/wire-engine.ts";
import type { HouseReads, RuleTexts } from "./model/host.ts";
import type { Trace } from "./model/trace.ts";
import { createRuleExpressions } from "./read/expressions.ts";
import type { KnownHouse } from "./read/lint.ts";
import type { Rule } from "./read/rule.ts";
import { createTrials, type ReplaysOptions, type Trials, type Tried } from "./replay/trials.ts";
import { BLUEPRINTS, Blueprints } from "./store/blueprints.ts";
import { type BoundRules, createBoundRules, type OtherNames } from "./store/bound-rules.ts";
import { type CheckedText, type CheckTools, type ComposedText, checkText, composeText } from "./store/check-text.ts";
import { describe, existsIn, type RuleInfo, type RuleStatus } from "./store/describe.ts";
import { isRuleFileName, readRuleFile, removeOrphans, ruleFilesIn } from "./store/disk.ts";
import { createIdGiver, createRuleEdits, type RuleEdits, type RulePatch } from "./store/edits.ts";
import { createRuleFiles, type ListedFile, type RuleFiles } from "./store/files.ts";
import { createLintCache, type LintCache } from "./store/lint-cache.ts";
import { openReadCache, type ReadCache, type ReadCacheOptions } from "./store/read-cache.ts";
import { createRuleReader } from "./store/read-rule.ts";
import { type PlannedRule, type RenamedNames, RenamedRules } from "./store/renamed/renamed-rules.ts";
import { triggers } from "./triggers/index.ts";

// Loading thousands of files must not block the rest of the hub.
const LOAD_TURN_MS = 8;

interface RulesFilter {
  tag?: string | undefined;
  state?: RuleStatus | undefined;
  /** Only rules that name it. */
  device_id?: string | undefined;
}

interface RuleFileText {
  text: string;
  etag: string;
}

interface RulesProblem extends Problem {
  /** Path of the file, or of the folder. */
  file: string;
  line?: number;
}

export interface RulesOptions extends OtherNames, Omit<EngineOptions, "feed" | "vocabulary" | "evaluate" | "heldBack"> {
  /** Called once, when all rules are loaded. */
  onLoaded?: (() => void) | undefined;
  folder: string;
  feed: EventFeed;
  /** See kit/files/folder-watch.ts. */
  notices?: FolderNotices | undefined;
  /** Absent where there are no channels to ask. */
  texts?: RuleTexts | undefined;
  /** Which attributes of devices have other names now. */
  renamed?: RenamedNames | undefined;
  /** Where to keep what rules were read into: see read-cache.ts. Without it, all are read anew at each start. */
  readCache?: Pick<ReadCacheOptions, "path" | "readBy"> | undefined;
}

/** Methods that take an id throw HubError `not_found`; for other errors see RuleEdits and Engine. */
export class Rules implements AsyncDisposable {
  /** Tests and replays. */
  readonly trials: Trials;
  readonly blueprints: PublicOf<Blueprints>;
  /** Rules about attributes that have other names now. */
  readonly renamed: PublicOf<RenamedRules>;
  readonly #options: RulesOptions;
  readonly #engine: Engine;
  readonly #webhooks: Webhooks;
  readonly #files: RuleFiles;
  readonly #edits: RuleEdits;
  readonly #bound: BoundRules;
  readonly #checks: CheckTools;
  readonly #lint: LintCache;
  readonly #readCache: ReadCache | undefined;
  /** The files at the time of opening. They are listed from then on, before they are loaded. */
  readonly #expected: readonly string[];
  #watch: FolderWatch | undefined;
  #started = false;
  #stopped = false;

  constructor(options: RulesOptions & { replays?: ReplaysOptions }) {
    const { folder, feed, clock, notices, log, random, host, texts } = options;
    const expressions = createRuleExpressions();
    const reader = createRuleReader(expressions, { find: (id) => this.blueprints.find(id) });
    this.blueprints = new Blueprints({
      ...{
        folder: join(folder, BLUEPRINTS),
        clock,
        notices,
        log,
        shape: reader.shape,
        checkExpression: expressions.check,
      },
      onChange: (id) => this.#files.rereadUsers(id),
      usersOf: (id) => this.#files.usersOf(id),
    });
    this.#options = options;
    this.#webhooks = createWebhooks({ feed, now: clock.now });
    this.#engine = new Engine({
      ...options,
      feed: this.#webhooks.feed,
      vocabulary: { triggers, conditions, actions },
      evaluate: expressions.evaluate,
      heldBack: (id, context) => this.renamed.heldBack(id, context),
    });
    const runner = {
      put: (rule: Rule, file: string) => this.#put(rule, file),
      remove: (id: string) => this.#remove(id),
    };
    this.#readCache = options.readCache && openReadCache(reader, { ...options.readCache, log });
    this.#files = createRuleFiles({
      folder,
      log,
      reader: this.#readCache?.reader ?? reader,
      giveId: createIdGiver(folder, random, options.db.trouble),
      runner,
    });
    this.#expected = ruleFilesIn(folder);
    this.#files.expect(this.#expected);
    this.#edits = createRuleEdits({ folder, files: this.#files, random, now: clock.now, reader });
    const hasRule = (id: string): boolean => this.#files.ownerOf(id) !== undefined;
    this.#bound = createBoundRules({ ...options, byName: reader.byName, run: (rule) => this.#engine.put(rule) });
    this.renamed = new RenamedRules({
      ...{ ...options, files: this.#files, bound: this.#bound, reader },
      isStarted: () => this.#started,
      isShipped: (id) => this.blueprints.list().some((one) => one.id === id && one.source === "shipped"),
    });
    const exists = existsIn(host, { hasRule, idOf: this.#bound.idOf });
    this.#checks = { reader, exists, house: knownHouse(host, texts?.problems) };
    this.#lint = createLintCache({ clock, shape: reader.shape, house: this.#checks.house });
    this.trials = createTrials({
      ...{ clock, random, house: host, replays: options.replays },
      evaluate: expressions.evaluate,
      reader,
      ids: () => this.#files.list().map(({ id }) => id),
      find: (id) => this.#tried(this.#runningId(id)),
      bound: (version) => this.#bound.good(version),
    });
  }

  /** Loads all files, starts the engine and watches the folder from then on. Before `system_started`. */
  async start(): Promise<void> {
    const { clock, notices, log, folder } = this.#options;
    removeOrphans(folder);
    this.blueprints.start();
    this.#watch = watchFolder({ clock, log, folder, notices, accepts: isRuleFileName, onChange: this.#files.load });
    const names = [...new Set([...this.#watch.names, ...this.#expected])].sort();
    await takeTurns(names, (name) => this.#stopped || this.#files.load(name), LOAD_TURN_MS);
    if (this.#stopped) return;
    this.#started = true;
    this.#options.onLoaded?.();
    this.renamed.start();
    this.#engine.ready();
    this.#readCache?.close();
    log.info("rules are running", { files: this.#files.size, broken: this.#files.broken().length });
  }

  /** By name of the file. */
  list({ tag, state, device_id }: RulesFilter = {}): RuleInfo[] {
    return this.#files
      .list()
      .filter(({ good }) => device_id === undefined || this.#bound.names(good, device_id))
      .filter(({ good }) => tag === undefined || good?.rule.tags.includes(tag))
      .map((entry) => this.#info(entry))
      .filter((rule) => state === undefined || rule.state === state);
  }

  get(id: string): RuleInfo {
    return this.#info(this.#find(id));
  }

  create(rule: JsonObject): RuleInfo {
    return this.#info(this.#editing().create(rule));
  }

  replace(id: string, rule: JsonObject): RuleInfo {
    return this.#info(this.#editing().replace(id, rule));
  }

  patch(id: string, patch: RulePatch): RuleInfo {
    return this.#info(this.#editing().patch(id, patch));
  }

  remove(id: string): void {
    this.#editing().remove(id);
  }

  /** The current content of the file. HubError `conflict` if it is not text. */
  text(id: string): RuleFileText {
    const { file } = this.#find(id);
    // Not loaded: a half-saved text must not run.
    const read = readRuleFile(join(this.#options.folder, file));
    if (!read) throw new HubError("not_found", `${file} is gone`);
    if (!read.ok) throw new HubError("conflict", `${file}: ${read.problem.message}`);
    return { text: read.text, etag: etagOf(read.text) };
  }

  putText(id: string, text: string, etag?: string): RuleInfo & RuleFileText {
    const entry = this.#editing().putText(id, text, etag);
    return { ...this.#info(entry), ...this.text(entry.id) };
  }

  /** The same with the present names of attributes, in the text of its file. */
  rename(id: string): RuleInfo & RuleFileText {
    const { text, etag } = this.renamed.turn(id);
    return this.putText(id, text, etag);
  }

  /** Throws HubError at the first that cannot be written. */
  putAll(planned: readonly PlannedRule[]): void {
    for (const one of planned) if ("text" in one) this.putText(one.id, one.text, etagOf(one.before));
  }

  /** Those that have the new text get the former one again. Throws after the last, where one cannot be written. */
  putBack(planned: readonly PlannedRule[]): void {
    using each = new DisposableStack();
    for (const one of planned) {
      if (!("text" in one) || this.#files.at(one.file)?.text !== one.text) continue;
      each.defer(() => void this.putText(one.id, one.before, etagOf(one.text)));
    }
  }

  /** Saves nothing. `id`: of the rule whose file the text is meant for. */
  check(text: string, id?: string): CheckedText {
    const file = id === undefined ? undefined : this.#find(id).file;
    return checkText(text, file, this.#checks);
  }

  /** Puts a rule into a text; saves nothing. HubError `invalid`. */
  compose(rule: JsonObject, text: string, id?: string): ComposedText {
    const file = id === undefined ? undefined : this.#find(id).file;
    return composeText(rule, { text, file, reader: this.#checks.reader });
  }

  async run(id: string, options?: RunOptions): Promise<Trace> {
    return this.#engine.run(this.#runningId(id), options);
  }

  traces(id: string): Trace[] {
    return this.#find(id).good ? this.#engine.traces(this.#runningId(id)) : [];
  }

  runs(id: string): RunInfo[] {
    return this.#find(id).good ? this.#engine.runs(this.#runningId(id)) : [];
  }

  cancelRun(id: string, runId: string, actor: { name: string }): void {
    this.#engine.cancelRun(this.#runningId(id), runId, actor);
  }

  pause(id: string, ms?: number): RuleInfo {
    this.#engine.pause(this.#runningId(id), ms);
    return this.get(id);
  }

  resume(id: string): RuleInfo {
    this.#engine.resume(this.#runningId(id));
    return this.get(id);
  }

  /** Fires webhook triggers; false if no rule has this path and secret. HubError `unavailable` before all rules run. */
  call(call: WebhookCall): boolean {
    // Not all rules are loaded: the caller has to retry.
    if (!this.#started) throw starting();
    return this.#webhooks.call(call);
  }

  /** Rule files, broken ones included. */
  count(): number {
    return this.#files.size;
  }

  /** Broken files, and a folder that cannot be read. */
  problems(): RulesProblem[] {
    const { folder } = this.#options;
    const fault = this.#watch?.fault();
    const message = `the folder of the rules cannot be read (${fault}); they continue as they were`;
    const broken = this.#files.broken().flatMap(({ file, problems: [first] }) => {
      if (!first) return [];
      const { path = "", line, message } = first;
      return [{ file: join(folder, file), path, line, message }];
    });
    const all = [...broken, ...this.blueprints.problems()];
    return fault === undefined ? all : [{ file: folder, path: "", message }, ...all];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopped = true;
    this.renamed[Symbol.dispose]();
    this.#bound[Symbol.dispose]();
    this.#watch?.[Symbol.dispose]();
    this.blueprints[Symbol.dispose]();
    await this.#engine[Symbol.asyncDispose]();
  }

  #tried(id: string): Tried {
    return { good: this.#find(id).good, traces: this.#engine.traces(id), ...this.#engine.standing(id) };
  }

  #put(rule: Rule, file: string): void {
    this.#options.texts?.refused.forget(rule.id);
    this.#engine.put(this.#bound.put(rule));
    this.#webhooks.put(rule);
    this.renamed.changed();
    if (this.#started) this.#options.log.info("a rule was loaded", { file, rule: rule.name, enabled: rule.enabled });
  }

  #remove(id: string): void {
    this.#webhooks.remove(id);
    this.#bound.remove(id);
    this.#engine.remove(id);
    this.renamed.changed();
    this.#options.log.info("a rule was removed", { id });
  }

  #info(entry: ListedFile): RuleInfo {
    const activity = entry.good && this.#engine.state(entry.good.rule.id);
    const refused = entry.good ? (this.#options.texts?.refused.of(entry.good.rule.id) ?? []) : [];
    const linted = [...this.#lint.of(entry), ...refused.map((message) => ({ message, line: 1, column: 1 }))];
    return describe(entry, { exists: this.#checks.exists, linted, activity, idOf: this.#bound.idOf });
  }

  /** Until all files are loaded, it is unknown which file has which id. */
  #editing(): RuleEdits {
    if (this.#started) return this.#edits;
    throw starting();
  }

  /** Until all files are loaded, an unknown rule may be in a file that is not. */
  #find(id: string): ListedFile {
    try {
      return this.#files.get(id);
    } catch (error) {
      throw this.#started ? error : starting();
    }
  }

  /** The id in the engine. */
  #runningId(id: string): string {
    const { good, file, problems, loading } = this.#find(id);
    if (good) return good.rule.id;
    if (loading) throw starting();
    throw new HubError("conflict", `no rule of ${file} runs: ${problems[0]?.message ?? "it has problems"}`);
  }
}

function starting(): HubError {
  return new HubError("unavailable", "the hub is starting: the rules are still being read");
}

function knownHouse(
  host: Pick<HouseReads, "device" | "described" | "variable">,
  textProblems: KnownHouse["textProblems"],
): KnownHouse {
  return {
    attributes(device) {
      const known = host.device(device);
      return known && Object.keys(known.attributes);
    },
    described: (device) => host.described(device),
    variable: (name) => host.variable(name) !== undefined,
    textProblems,
  };
}
