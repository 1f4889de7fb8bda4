// Requests to plugins on `manage/cmd`, and their answers on `manage/response`. Each has one answer, or none in time.
import { HubError } from "../../../kit/schema/errors.ts";
import { type RandomBytes, uuid } from "../../../kit/schema/ids.ts";
import type { Json, JsonObject } from "../../../kit/schema/json.ts";
import { ownBeginning } from "../../../kit/schema/memory-size.ts";
import type { Clock } from "../../../kit/time/clock.ts";

/** A plugin's answer. */
export interface Answer {
  requestId: string;
  /** `accepted`: it goes on, and reports by events; `busy`: `activeRequestId` has to end first. */
  status: "ok" | "error" | "accepted" | "busy";
  data: Json;
  error?: string;
  activeRequestId?: string;
}

export interface Question {
  action: string;
  fields?: JsonObject;
  /** A new one when absent. */
  requestId?: string;
  timeoutMs?: number;
}

export interface Questions {
  newId(): string;
  /** Throws HubError `upstream_failed` without an answer in time, `rate_limited` if too many wait already. */
  ask(pluginId: string, question: Question): Promise<Answer>;
  /** A message on `manage/response`. Returns why it is ignored. */
  answered(pluginId: string, response: JsonObject): string | undefined;
  /** Fails those that wait for this plugin. */
  abandon(pluginId: string): void;
}

export interface QuestionsOptions {
  clock: Clock;
  random: RandomBytes;
  send: (pluginId: string, command: JsonObject) => Promise<void>;
}

interface Waiting {
  pluginId: string;
  resolve(answer: Answer): void;
  reject(error: HubError): void;
}

export const ANSWER_MS = 5000;
const MAX_WAITING = 20;
const MAX_ERROR = 2000;
const STATUSES = ["ok", "error", "accepted", "busy"] as const;

export function createQuestions({ clock, random, send }: QuestionsOptions): Questions {
  const waiting = new Map<string, Waiting>();
  const newId = (): string => uuid(random);

  return {
    newId,
    async ask(pluginId, { action, fields = {}, requestId = newId(), timeoutMs = ANSWER_MS }) {
      const ofPlugin = [...waiting.values()].filter((one) => one.pluginId === pluginId);
      if (ofPlugin.length >= MAX_WAITING)
        throw new HubError("rate_limited", `plugin "${pluginId}" has ${MAX_WAITING} requests to answer already`);
      const { promise, resolve, reject } = Promise.withResolvers<Answer>();
      waiting.set(requestId, { pluginId, resolve, reject });
      const timer = clock.after("plugin answer", timeoutMs, () => reject(unanswered(pluginId, action, timeoutMs)));
      // It is awaited below; until then it may be rejected already.
      promise.catch(() => {});
      try {
        await send(pluginId, { ...fields, action, request_id: requestId });
        return await promise;
      } finally {
        timer[Symbol.dispose]();
        waiting.delete(requestId);
      }
    },
    answered(pluginId, response) {
      const { request_id: requestId } = response;
      const question = typeof requestId === "string" ? waiting.get(requestId) : undefined;
      // Others, too, may ask a plugin over MQTT: their answers are not for the hub.
      if (question?.pluginId !== pluginId) return undefined;
      const answer = readAnswer(String(requestId), response);
      if (answer) question.resolve(answer);
      return answer ? undefined : `status must be one of ${STATUSES.join(", ")}`;
    },
    abandon(pluginId) {
      const error = new HubError("upstream_failed", `plugin "${pluginId}" ended before it answered`);
      for (const one of waiting.values()) if (one.pluginId === pluginId) one.reject(error);
    },
  };
}

function unanswered(pluginId: string, action: string, timeoutMs: number): HubError {
  return new HubError(
    "upstream_failed",
    `plugin "${pluginId}" did not answer "${action}" within ${timeoutMs / 1000} s`,
  );
}

function readAnswer(requestId: string, response: JsonObject): Answer | undefined {
  const { request_id: _, status: word, error, data, stream_topic: __, active_request_id: active, ...rest } = response;
  const status = STATUSES.find((known) => known === word);
  if (!status) return undefined;
  // Some plugins put their result beside the status.
  const result = data ?? (Object.keys(rest).length > 0 ? rest : null);
  return {
    requestId,
    status,
    data: result,
    ...(error === undefined || error === null ? {} : { error: ownBeginning(textOf(error), MAX_ERROR) }),
    ...(typeof active === "string" ? { activeRequestId: ownBeginning(active, 255) } : {}),
  };
}

function textOf(value: Json): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
