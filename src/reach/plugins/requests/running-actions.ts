// Calls of plugins' actions that have not ended: what they report becomes events, bounded in size and number, and each ends at
// some time, whatever its plugin does.
import { guarded } from "../../../kit/lifecycle/lifecycle.ts";
import type { Log } from "../../../kit/lifecycle/log.ts";
import { HubError } from "../../../kit/schema/errors.ts";
import type { Json, JsonObject } from "../../../kit/schema/json.ts";
import { jsonBytes, ownBeginning } from "../../../kit/schema/memory-size.ts";
import type { Clock, Timer } from "../../../kit/time/clock.ts";
import type { HubEvent } from "../../../server/events/catalog.ts";
import { type ActionStage, STAGES } from "../../../server/events/plugins.ts";
import type { DeclaredAction } from "./capabilities.ts";

export interface RunningAction {
  readonly pluginId: string;
  readonly requestId: string;
  readonly action: DeclaredAction;
  /** Two with the same lock never run at once; undefined without a limit. */
  readonly lock: string | undefined;
  /** Its caller knows that it goes on. */
  isAccepted: boolean;
  /** It asked a question that nobody has answered. */
  isWaiting: boolean;
}

export interface RunningActions extends Disposable {
  /** Throws HubError `rate_limited` if the plugin has too many. */
  begin(action: Omit<RunningAction, "isAccepted" | "isWaiting">): RunningAction;
  /** The one with this lock. */
  withLock(pluginId: string, lock: string): RunningAction | undefined;
  /** Throws HubError `not_found`. */
  get(pluginId: string, requestId: string): RunningAction;
  /** A message on `commands/{request}/events`. Returns why it is ignored. */
  reported(pluginId: string, requestId: string, report: JsonObject): string | undefined;
  /** Forgets it without an event: its caller was notified. */
  drop(running: RunningAction): void;
  /** Ends it, with an event if it was accepted. */
  fail(running: RunningAction, error: string): void;
  /** Fails all of a plugin that is gone. */
  abandon(pluginId: string): void;
}

export interface RunningActionsOptions {
  clock: Clock;
  log: Log;
  emit: (event: HubEvent) => void;
  /** Clears the retained message with the last event. */
  clear: (pluginId: string, requestId: string) => void;
  /** Called when one has not ended in time. */
  onLate: (running: RunningAction) => void;
}

const MAX_OF_PLUGIN = 16;
const MAX_MS = 3_600_000;
const MAX_DECLARED_MS = 24 * MAX_MS;
/** A plugin that ends its actions in time itself comes first. */
const GRACE_MS = 5000;
// The broker stores the last message only after the hub has read it.
const CLEAR_AFTER_MS = 1000;
const MAX_DATA = 65_536;
const WINDOW_MS = 10_000;
const MAX_IN_WINDOW = 500;
const LAST_STAGES: readonly ActionStage[] = ["complete", "error", "canceled"];

interface Entry {
  running: RunningAction;
  end: Timer;
  rate: Rate;
}

export function createRunningActions(options: RunningActionsOptions): RunningActions {
  const { clock, log, emit, onLate } = options;
  const entries = new Map<string, Entry>();
  const clearing = new Set<Timer>();

  function forget({ requestId, pluginId }: RunningAction): void {
    const entry = entries.get(requestId);
    if (!entry) return;
    entry.end[Symbol.dispose]();
    entries.delete(requestId);
    const timer = clock.after("plugin action", CLEAR_AFTER_MS, () => {
      clearing.delete(timer);
      options.clear(pluginId, requestId);
    });
    clearing.add(timer);
  }

  function emitStage({ pluginId, requestId, action }: RunningAction, stage: ActionStage, more: object): void {
    const about = { plugin_id: pluginId, action: action.id, request_id: requestId };
    emit({ type: "plugin_action", ...about, stage, ...more });
  }

  function fail(running: RunningAction, error: string): void {
    if (!entries.has(running.requestId)) return;
    forget(running);
    if (running.isAccepted) emitStage(running, "error", { error });
  }

  function expire(running: RunningAction): void {
    fail(running, "it did not end in time: the hub no longer waits for it");
    onLate(running);
  }

  return {
    begin(begun) {
      const { pluginId, requestId, action } = begun;
      if ([...entries.values()].filter(({ running }) => running.pluginId === pluginId).length >= MAX_OF_PLUGIN)
        throw new HubError("rate_limited", `plugin "${pluginId}" has ${MAX_OF_PLUGIN} actions under way already`);
      const running: RunningAction = { ...begun, isAccepted: false, isWaiting: false };
      const declared = action.timeoutMs && Math.min(action.timeoutMs, MAX_DECLARED_MS) + GRACE_MS;
      const onEnd = guarded(log, "end of a plugin's action", () => expire(running));
      const end = clock.after("plugin action", declared ?? MAX_MS, onEnd);
      entries.set(requestId, { running, end, rate: createRate(clock) });
      return running;
    },
    withLock(pluginId, lock) {
      const found = [...entries.values()].find(({ running }) => running.pluginId === pluginId && running.lock === lock);
      return found?.running;
    },
    get(pluginId, requestId) {
      const running = entries.get(requestId)?.running;
      if (running?.pluginId !== pluginId)
        throw new HubError("not_found", `plugin "${pluginId}" has no request "${requestId}" under way`);
      return running;
    },
    reported(pluginId, requestId, { stage: word, request_id: _, ts: __, ...sent }) {
      const entry = entries.get(requestId);
      // Others, too, may start actions over MQTT.
      if (entry?.running.pluginId !== pluginId) return undefined;
      const { running, rate } = entry;
      const stage = STAGES.find((known) => known === word);
      if (!stage) return `stage must be one of ${STAGES.join(", ")}`;
      const isLast = LAST_STAGES.includes(stage);
      const isQuestion = stage === "awaiting_user" && !running.isWaiting;
      const leftOut = rate.count(isLast || isQuestion);
      if (isLast) forget(running);
      if (isQuestion) running.isWaiting = true;
      if (leftOut !== undefined)
        emitStage(running, stage, { ...contentOf(stage, sent), ...(leftOut > 0 ? { left_out: leftOut } : {}) });
      return undefined;
    },
    drop: forget,
    fail,
    abandon(pluginId) {
      for (const { running } of [...entries.values()])
        if (running.pluginId === pluginId) fail(running, "the plugin ended before its action did");
    },
    [Symbol.dispose]() {
      for (const { end } of entries.values()) end[Symbol.dispose]();
      for (const timer of clearing) timer[Symbol.dispose]();
    },
  };
}

/** What the plugin sent: of `complete` the result alone, of `error` the reason. */
function contentOf(stage: ActionStage, sent: JsonObject): { data?: Json; error?: string } {
  if (stage === "error") return { error: ownBeginning(String(sent.error ?? sent.message ?? "it failed"), 2000) };
  const data: Json = stage === "complete" ? (sent.data ?? null) : sent;
  if (jsonBytes(data) <= MAX_DATA) return { data };
  return { error: `the plugin sent more than the ${MAX_DATA} bytes that an event of an action may have` };
}

interface Rate {
  /** Returns how many were left out before this one; undefined if it is left out itself. What matters never is. */
  count(matters: boolean): number | undefined;
}

function createRate(clock: Clock): Rate {
  let since = clock.mono();
  let counted = 0;
  let leftOut = 0;
  return {
    count(matters) {
      if (clock.mono() - since >= WINDOW_MS) {
        since = clock.mono();
        counted = 0;
      }
      if (counted >= MAX_IN_WINDOW && !matters) {
        leftOut++;
        return undefined;
      }
      counted++;
      const before = leftOut;
      leftOut = 0;
      return before;
    },
  };
}
