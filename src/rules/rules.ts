// The room's door: rule files, the engine that runs them, and what people and services outside ask of both.
import { join } from "node:path";
import type { Clock } from "../core/clock.ts";
import { HubError } from "../core/errors.ts";
import type { RandomBytes } from "../core/ids.ts";
import type { JsonObject } from "../core/json.ts";
import type { Limits } from "../core/limits.ts";
import type { Log } from "../core/log.ts";
import type { Problem } from "../core/schema.ts";
import type { DiskBudget } from "../core/write-behind.ts";
import type { StateDb } from "../db/state-db.ts";
import type { EventFeed } from "../events/feed.ts";
import { actions } from "./actions/index.ts";
import { conditions } from "./conditions/index.ts";
import type { RulesSection } from "./config.ts";
import { startEngine } from "./engine/engine.ts";
import { createRuleExpressions } from "./expressions.ts";
import type { RuleHost } from "./host.ts";
import { describe, existsIn, type RuleInfo, type RuleStatus } from "./store/describe.ts";
import { isRuleFileName, readRuleFile, removeLeftovers, ruleFilesIn } from "./store/disk.ts";
import { createIdGiver, createRuleEdits, etagOf, type RuleEdits, type RulePatch } from "./store/edits.ts";
import { createRuleFiles, type ListedFile } from "./store/files.ts";
import { type FolderWatch, watchFolder } from "./store/folder-watch.ts";
import { createRuleReader } from "./store/read-rule.ts";
import type { Trace } from "./trace.ts";
import { triggers } from "./triggers/index.ts";
import { createWebhooks, type WebhookCall } from "./webhooks.ts";

/** Where an id is asked for, HubError `not_found`; for the others see RuleEdits and Engine. */
export interface Rules extends AsyncDisposable {
  /** Reads all files and lets them run; from then on changes of the folder are followed. Before `system_started`. */
  start(): Promise<void>;
  /** By name of the file. */
  list(filter?: { tag?: string | undefined; state?: RuleStatus | undefined }): RuleInfo[];
  get(id: string): RuleInfo;
  create(rule: JsonObject): RuleInfo;
  replace(id: string, rule: JsonObject): RuleInfo;
  patch(id: string, patch: RulePatch): RuleInfo;
  remove(id: string): void;
  /** What is in the file now. HubError `conflict` where it is no text. */
  text(id: string): RuleFileText;
  putText(id: string, text: string, etag?: string): RuleInfo & RuleFileText;
  test(id: string, trigger?: { type?: string; context?: JsonObject }): Promise<Trace>;
  run(id: string, options?: { conditions?: boolean; actor?: { name: string } }): Promise<Trace>;
  traces(id: string): Trace[];
  pause(id: string, ms?: number): RuleInfo;
  resume(id: string): RuleInfo;
  /** A webhook's call; false where it opens nothing. HubError `unavailable` before all rules run. */
  call(call: WebhookCall): boolean;
  /** Rule files, broken ones included. */
  count(): number;
  /** What people should know of: broken files, and a folder that cannot be read. */
  problems(): RulesProblem[];
}

export interface RuleFileText {
  text: string;
  etag: string;
}

export interface RulesProblem extends Problem {
  /** Path of the file, or of the folder. */
  file: string;
  line?: number;
}

export interface RulesOptions {
  folder: string;
  feed: EventFeed;
  clock: Clock;
  log: Log;
  random: RandomBytes;
  host: RuleHost;
  db: Pick<StateDb, "durable" | "behind">;
  flushMs?: number;
  /** See core/write-budget.ts. */
  budget?: DiskBudget;
  config?: RulesSection;
  limits?: Limits;
}

// A start with thousands of files must let the rest of the hub have its turn.
const FILES_IN_ONE_GO = 10;

export function openRules(options: RulesOptions): Rules {
  const { folder, clock, log, random, host } = options;
  const expressions = createRuleExpressions();
  const webhooks = createWebhooks({ feed: options.feed, now: clock.now });
  const engine = startEngine({
    ...options,
    feed: webhooks.feed,
    vocabulary: { triggers, conditions, actions },
    evaluate: expressions.evaluate,
  });
  const reader = createRuleReader(expressions);
  const files = createRuleFiles({
    folder,
    log,
    reader,
    giveId: createIdGiver(folder, random),
    runner: {
      put(rule, file) {
        engine.put(rule);
        webhooks.put(rule);
        if (started) log.info("a rule is in effect", { file, rule: rule.name, enabled: rule.enabled });
      },
      remove(id) {
        webhooks.remove(id);
        engine.remove(id);
        log.info("a rule is gone", { id });
      },
    },
  });
  // They are listed from the first answer on, before they are read.
  const expected = ruleFilesIn(folder);
  files.expect(expected);
  const edits = createRuleEdits({ folder, files, random, now: clock.now, reader });
  const exists = existsIn(host, (id) => files.ownerOf(id) !== undefined);
  let watch: FolderWatch | undefined;
  let started = false;
  let stopped = false;

  function info(entry: ReturnType<typeof files.get>): RuleInfo {
    return describe(entry, exists, entry.good && engine.state(entry.good.rule.id));
  }

  /** Before all files are read nobody knows whose an id is. */
  function editing(): RuleEdits {
    if (started) return edits;
    throw starting();
  }

  /** A rule that nobody knows may be in a file that is not read yet. */
  function find(id: string): ListedFile {
    try {
      return files.get(id);
    } catch (error) {
      throw started ? error : starting();
    }
  }

  /** The engine's id of a rule that runs. */
  function running(id: string): string {
    const { good, file, problems, loading } = find(id);
    if (good) return good.rule.id;
    if (loading) throw starting();
    throw new HubError("conflict", `nothing of ${file} runs: ${problems[0]?.message ?? "it has problems"}`);
  }

  /** Only read: what is half saved now must not run. */
  function text(id: string): RuleFileText {
    const { file } = find(id);
    const read = readRuleFile(join(folder, file));
    if (!read) throw new HubError("not_found", `${file} is gone`);
    if (!read.ok) throw new HubError("conflict", `${file}: ${read.problem.message}`);
    return { text: read.text, etag: etagOf(read.text) };
  }

  return {
    async start() {
      removeLeftovers(folder);
      watch = watchFolder({ clock, log, folder, accepts: isRuleFileName, onChange: files.load });
      for (const [index, name] of [...new Set([...watch.names, ...expected])].sort().entries()) {
        if (index % FILES_IN_ONE_GO === 0) await new Promise((resolve) => setImmediate(resolve));
        if (stopped) return;
        files.load(name);
      }
      started = true;
      engine.ready();
      log.info("rules are running", { files: files.size, broken: files.broken().length });
    },
    list({ tag, state } = {}) {
      return files
        .list()
        .filter(({ good }) => tag === undefined || good?.rule.tags.includes(tag))
        .map(info)
        .filter((rule) => state === undefined || rule.state === state);
    },
    get: (id) => info(find(id)),
    create: (rule) => info(editing().create(rule)),
    replace: (id, rule) => info(editing().replace(id, rule)),
    patch: (id, patch) => info(editing().patch(id, patch)),
    remove: (id) => editing().remove(id),
    text,
    putText(id, given, etag) {
      const entry = editing().putText(id, given, etag);
      return { ...info(entry), ...text(entry.id) };
    },
    test: async (id, trigger) => engine.test(running(id), trigger),
    run: async (id, how) => engine.run(running(id), how),
    traces: (id) => (find(id).good ? engine.traces(running(id)) : []),
    pause(id, ms) {
      engine.pause(running(id), ms);
      return info(find(id));
    },
    resume(id) {
      engine.resume(running(id));
      return info(find(id));
    },
    call(call) {
      // Its rule may not be read yet, and those that are do not run: the caller tries again.
      if (!started) throw starting();
      return webhooks.call(call);
    },
    count: () => files.size,
    problems() {
      const fault = watch?.fault();
      const message = `the folder of the rules cannot be read (${fault}); they go on as they were`;
      const broken = files
        .broken()
        .flatMap(({ file, problems }) =>
          problems
            .slice(0, 1)
            .map(({ path = "", line, message }) => ({ file: join(folder, file), path, line, message })),
        );
      return fault === undefined ? broken : [{ file: folder, path: "", message }, ...broken];
    },
    async [Symbol.asyncDispose]() {
      stopped = true;
      watch?.[Symbol.dispose]();
      await engine[Symbol.asyncDispose]();
    },
  };
}

function starting(): HubError {
  return new HubError("unavailable", "the hub is starting: the rules are still being read");
}
