// What people do with a plugin besides starting and stopping it: they read what it offers, change its configuration, call its
// actions, and answer what these ask.
import { background } from "../../../kit/lifecycle/lifecycle.ts";
import type { Log } from "../../../kit/lifecycle/log.ts";
import { HubError } from "../../../kit/schema/errors.ts";
import type { RandomBytes } from "../../../kit/schema/ids.ts";
import type { Json, JsonObject } from "../../../kit/schema/json.ts";
import type { Clock } from "../../../kit/time/clock.ts";
import type { HubEvent } from "../../../server/events/catalog.ts";
import {
  type Capabilities,
  checkDeclared,
  createCapabilityStore,
  type DeclaredAction,
  invalid,
  type RequiredRole,
} from "./capabilities.ts";
import { createPluginSettings, type PluginSettings } from "./plugin-settings.ts";
import { ANSWER_MS, type Answer, createQuestions, type Question } from "./questions.ts";
import { createRunningActions, type RunningAction } from "./running-actions.ts";

/** Whether the caller's role includes this one. */
export type May = (role: RequiredRole) => boolean;

/** All throw HubError `not_found` for an unknown plugin and `conflict` for one that is not there to answer. */
export interface PluginRemote {
  /** Also of a plugin that is away. */
  declared(pluginId: string): Capabilities["shown"];
  readConfig: PluginSettings["read"];
  replaceConfig: PluginSettings["replace"];
  /** Throws HubError `not_found`, `forbidden`, `invalid` (naming the parameter), `rate_limited` or `upstream_failed`. */
  act(pluginId: string, call: { action: string; params: JsonObject; may: May }): Promise<Answer>;
  /** Answers the question of an action. */
  respond(pluginId: string, answer: { requestId: string; response: Json; may: May }): Promise<Answer>;
  cancel(pluginId: string, request: { requestId: string; may: May }): Promise<Answer>;
}

/** What plugins report; each returns why it is ignored. */
export interface RemoteReports extends Disposable {
  capabilities(pluginId: string, capabilities: JsonObject): string | undefined;
  response(pluginId: string, response: JsonObject): string | undefined;
  report(pluginId: string, requestId: string, report: JsonObject): string | undefined;
  /** It is gone: nothing that waits for it will be answered. */
  gone(pluginId: string): void;
}

/** The MQTT messages to plugins. */
export interface ManageChannel {
  /** `manage/cmd` */
  send(pluginId: string, command: JsonObject): Promise<void>;
  /** Clears the retained message on `commands/{request}/events`. */
  clearEvents(pluginId: string, requestId: string): Promise<void>;
}

export interface RemoteOptions {
  clock: Clock;
  log: Log;
  random: RandomBytes;
  emit: (event: HubEvent) => void;
  channel: ManageChannel;
  /** Throws HubError `not_found`. */
  assertKnown(pluginId: string): void;
  /** Throws HubError `not_found` or `conflict`. */
  assertThere(pluginId: string): void;
}

/** A request stays open no longer: the server closes connections on which nothing happens. */
const MAX_WAIT_MS = 60_000;
/** A plugin that keeps the time itself answers first. */
const GRACE_MS = 500;
const ENVELOPE = ["action", "request_id", "target_request_id"];

export function createRemote(options: RemoteOptions): { remote: PluginRemote; reports: RemoteReports } {
  const { log, channel, assertKnown, assertThere } = options;
  const store = createCapabilityStore();
  const questions = createQuestions({ ...options, send: channel.send });
  const settings = createPluginSettings({ questions, capabilitiesOf: store.of });
  const running = createRunningActions({
    ...options,
    clear: (pluginId, requestId) =>
      background(log, "the end of a plugin's action", channel.clearEvents(pluginId, requestId)),
    onLate: cancelUnasked,
  });

  function about(running: RunningAction, action: "respond" | "cancel", more: JsonObject = {}): Question {
    return { action, fields: { target_request_id: running.requestId, ...more } };
  }

  /** For one that nobody waits for any more: whether the plugin received it makes no difference. */
  function cancelUnasked(onLate: RunningAction): void {
    if (!onLate.action.cancelable) return;
    questions.ask(onLate.pluginId, about(onLate, "cancel")).catch(() => {});
  }

  function actionOf(pluginId: string, id: string): DeclaredAction {
    const action = store.of(pluginId).actions.get(id);
    if (!action) throw new HubError("not_found", `plugin "${pluginId}" has declared no action "${id}"`);
    return action;
  }

  function runningFor(pluginId: string, requestId: string, may: May): RunningAction {
    assertThere(pluginId);
    const found = running.get(pluginId, requestId);
    assertMay(may, found.action);
    return found;
  }

  return {
    remote: {
      declared(pluginId) {
        assertKnown(pluginId);
        return store.of(pluginId).shown;
      },
      async readConfig(pluginId) {
        assertThere(pluginId);
        return settings.read(pluginId);
      },
      async replaceConfig(pluginId, edited) {
        assertThere(pluginId);
        return settings.replace(pluginId, edited);
      },
      async act(pluginId, { action: id, params, may }) {
        assertThere(pluginId);
        const action = actionOf(pluginId, id);
        assertMay(may, action);
        assertParams(action, params);
        const lock = lockOf(action, params);
        const requestId = questions.newId();
        const active = lock === undefined ? undefined : running.withLock(pluginId, lock);
        if (active) return { requestId, status: "busy", data: null, activeRequestId: active.requestId };
        // Begun before it is sent: its first event may arrive together with its answer.
        const begun = running.begin({ pluginId, requestId, action, lock });
        try {
          const timeoutMs = waitFor(action);
          const answer = await questions.ask(pluginId, { action: id, fields: params, requestId, timeoutMs });
          begun.isAccepted = answer.status === "accepted";
          if (!begun.isAccepted) running.drop(begun);
          return answer;
        } catch (error) {
          running.drop(begun);
          cancelUnasked(begun);
          throw error;
        }
      },
      async respond(pluginId, { requestId, response, may }) {
        const found = runningFor(pluginId, requestId, may);
        if (!found.isWaiting) throw new HubError("conflict", `request "${requestId}" does not wait for an answer`);
        // Only one answer is sent, unless the plugin did not take it.
        found.isWaiting = false;
        try {
          const answer = await questions.ask(pluginId, about(found, "respond", { response }));
          if (answer.status !== "ok") found.isWaiting = true;
          return { ...answer, requestId };
        } catch (error) {
          found.isWaiting = true;
          throw error;
        }
      },
      async cancel(pluginId, { requestId, may }) {
        const found = runningFor(pluginId, requestId, may);
        if (!found.action.cancelable)
          throw new HubError("conflict", `the action "${found.action.id}" cannot be cancelled`);
        const answer = await questions.ask(pluginId, about(found, "cancel"));
        // It no longer knows the request, whose end was lost.
        if (answer.status === "error") running.fail(found, answer.error ?? "the plugin cannot cancel it");
        return { ...answer, requestId };
      },
    },
    reports: {
      capabilities: store.put,
      response: questions.answered,
      report: running.reported,
      gone(pluginId) {
        questions.abandon(pluginId);
        running.abandon(pluginId);
      },
      [Symbol.dispose]: () => running[Symbol.dispose](),
    },
  };
}

function assertMay(may: May, { id, requiredRole }: DeclaredAction): void {
  if (!may(requiredRole)) throw new HubError("forbidden", `the action "${id}" needs the role ${requiredRole}`);
}

function assertParams({ params: schema }: DeclaredAction, params: JsonObject): void {
  const taken = ENVELOPE.filter((key) => Object.hasOwn(params, key));
  if (taken.length > 0) throw invalid(taken.map((path) => ({ path, message: "is a word of the protocol itself" })));
  checkDeclared(schema, params);
}

function lockOf({ id, concurrency, itemKey }: DeclaredAction, params: JsonObject): string | undefined {
  if (concurrency === "multi") return undefined;
  const item = concurrency === "per_item" && itemKey !== undefined ? params[itemKey] : undefined;
  return `${id}/${JSON.stringify(item ?? null)}`;
}

/** An action that reports by events is accepted at once; its `timeout_ms` is for the whole of it. */
function waitFor({ stream, timeoutMs }: DeclaredAction): number {
  return stream || timeoutMs === undefined ? ANSWER_MS : Math.min(timeoutMs + GRACE_MS, MAX_WAIT_MS);
}
