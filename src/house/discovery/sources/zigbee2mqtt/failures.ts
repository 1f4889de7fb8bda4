// What went wrong after a command was taken, reported with the bridge or the device until something goes right.
import type { Json, JsonObject } from "../../../../kit/schema/json.ts";

// As it says in its log that a device did not answer.
const NOT_SET = /Publish '(?:set|get)' '(.+?)' to '(.+)' failed: '(.*)'$/s;
const LONGEST = 300;

/** Reports the problem of something with this identity; undefined where there is none any more. */
export type ReportProblem = (identity: string, problem: string | undefined) => void;

export class Failures {
  readonly #report: ReportProblem;
  readonly #self: string;
  /** By topic: the device that did not take a command. */
  readonly #silent = new Map<string, string>();
  #isRefused = false;

  /** `self`: the bridge's own identity. */
  constructor(self: string, report: ReportProblem) {
    this.#self = self;
    this.#report = report;
  }

  /** `bridge/response/REQUEST` */
  receiveResponse(request: string, { status, error }: JsonObject): void {
    const isError = status === "error";
    if (!isError && !this.#isRefused) return;
    this.#isRefused = isError;
    this.#report(this.#self, isError ? `it refused ${request}: ${String(error).slice(0, LONGEST)}` : undefined);
  }

  /** `bridge/logging`. `find`: the identity of what reports on a topic. */
  receiveLog({ level, message }: JsonObject, base: string, find: (topic: string) => string | undefined): void {
    const [, property, name, why] = level === "error" ? (NOT_SET.exec(textOf(message)) ?? []) : [];
    const topic = `${base}/${name}`;
    const identity = find(topic);
    if (identity === undefined || why === undefined) return;
    this.#silent.set(topic, identity);
    this.#report(identity, `it did not take ${property}: ${why.slice(0, LONGEST)}`);
  }

  /** It can be reached again. */
  markReachable(topic: string): void {
    const identity = this.#silent.size === 0 ? undefined : this.#silent.get(topic);
    if (identity === undefined) return;
    this.#silent.delete(topic);
    this.#report(identity, undefined);
  }
}

function textOf(value: Json | undefined): string {
  return typeof value === "string" ? value.slice(0, 4096) : "";
}
