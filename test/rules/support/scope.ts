// The scope of conditions and actions: the house, expressions with values from the test, and a virtual clock.
import { HubError, messageOf } from "../../../src/kit/schema/errors.ts";
import type { Json, JsonObject } from "../../../src/kit/schema/json.ts";
import { sleep } from "../../../src/kit/time/clock.ts";
import { actions } from "../../../src/rules/actions/index.ts";
import { conditions } from "../../../src/rules/conditions/index.ts";
import type { RunScope } from "../../../src/rules/engine/entry.ts";
import { overlaid } from "../../../src/rules/engine/private-booleans.ts";
import type { ActionScope, EventWanted, Typed } from "../../../src/rules/model/define.ts";
import type { RuleHost } from "../../../src/rules/model/host.ts";
import type { ConditionTrace } from "../../../src/rules/model/trace.ts";
import type { House } from "./host.ts";
import { readIn } from "./read.ts";

/** The value of an expression, by its text. */
export type Expressions = Record<string, () => Json>;

export interface ScopeOptions {
  expressions?: Expressions;
  trigger?: JsonObject;
  vars?: JsonObject;
}

type Scopes = RunScope & Pick<ActionScope<keyof RuleHost>, "host">;

function createConditionScope(house: House, { expressions = {}, trigger = {}, vars = {} }: ScopeOptions = {}): Scopes {
  const scope: Scopes = {
    host: house,
    trigger,
    vars,
    msSince: (at) => house.now() - at,
    privateBooleans: overlaid(),
    deviceId: typeof trigger.device_id === "string" ? trigger.device_id : undefined,
    evaluate(text) {
      const answer = expressions[text];
      if (!answer) throw new HubError("invalid", `"${text}" cannot be evaluated`);
      return answer();
    },
    isTrue(text) {
      const value = scope.evaluate(text);
      if (typeof value !== "boolean") throw new HubError("invalid", `"${text}" is not true or false`);
      return value;
    },
    ask(condition) {
      const definition = conditions.find(({ type }) => type === condition.type);
      if (!definition) throw new Error(`no condition ${condition.type}`);
      return { type: condition.type, ...definition.evaluate(condition, scope) };
    },
  };
  return scope;
}

/** Reads the condition and evaluates it. */
export function ask(house: House, condition: JsonObject, options?: ScopeOptions): ConditionTrace {
  return createConditionScope(house, options).ask(readIn("conditions", condition));
}

export class Exit extends Error {}

export interface Actor {
  /** Runs one action; resolves with its detail, rejects with its failure. */
  act(action: JsonObject): Promise<string | undefined>;
  /** Details and failures of inner actions, in the order of their ends. */
  readonly inside: string[];
  readonly controlled: string[];
  readonly logged: string[];
  readonly captured: ActionScope["captured"];
  readonly waits: EventWanted[];
  turns: number;
  /** Cancels pending delays. */
  cancel(): void;
}

export interface ActorOptions extends ScopeOptions {
  /** The results of waits. */
  event?: boolean;
  isTrue?: boolean;
}

export function createActor(house: House, { event, isTrue, ...options }: ActorOptions = {}): Actor {
  const run = new AbortController();
  let cancelled = new AbortController();
  const level = (name: string) => (message: string) => void actor.logged.push(`${name} ${message}`);
  const log = {
    debug: level("debug"),
    info: level("info"),
    warn: level("warn"),
    error: level("error"),
    always: level("always"),
  };

  let beganMono = 0;

  async function runOne(action: Typed): Promise<string | undefined> {
    const definition = actions.find(({ type }) => type === action.type);
    if (!definition) throw new Error(`no action ${action.type}`);
    beganMono = house.clock.mono();
    return definition.run(action, scope);
  }

  const control =
    (what: string) =>
    (id: string, ...rest: unknown[]) =>
      void actor.controlled.push([what, id, ...rest.map((one) => JSON.stringify(one) ?? "none")].join(" "));

  const scope: ActionScope<keyof RuleHost> = {
    ...createConditionScope(house, options),
    ruleId: "rule-1",
    ruleName: "Tür 🚪 21 °C",
    actor: { kind: "rule", id: "rule-1", name: "Tür 🚪 21 °C" },
    log: { ...log, child: () => scope.log },
    mono: house.clock.mono,
    signal: run.signal,
    resumed: () => undefined,
    progress() {},
    elapsed: () => house.clock.mono() - beganMono,
    undelivered: ({ why }) => void actor.controlled.push(`undelivered: ${why}`),
    once: () => undefined,
    flush() {},
    async run(list) {
      for (const action of list) {
        try {
          actor.inside.push(`${action.type}: ${await runOne(action)}`);
        } catch (error) {
          if (error instanceof Exit) throw error;
          actor.inside.push(`${action.type} failed: ${messageOf(error)}`);
        }
      }
    },
    delay: (ms) => sleep(house.clock, "delay", ms, cancelled.signal),
    async waitForEvent(wanted) {
      actor.waits.push(wanted);
      return event ? house.envelope({ type: "custom_x" }) : undefined;
    },
    waitUntil: async () => isTrue ?? false,
    stopRules: () => true,
    exit(why) {
      throw new Exit(why);
    },
    turn: () => void actor.turns++,
    captured: new Map(),
    rules: {
      run: async (id, { conditions, wait }) => control("run")(id, { conditions, wait }),
      awaitRun: async () => false,
      pause: control("pause"),
      resume: control("resume"),
      cancelDelays(id, key) {
        control("cancel")(id, key);
        return 2;
      },
    },
  };
  const actor: Actor = {
    act: async (action) => runOne(readIn("actions", action)),
    inside: [],
    controlled: [],
    logged: [],
    captured: scope.captured,
    waits: [],
    turns: 0,
    cancel() {
      cancelled.abort();
      cancelled = new AbortController();
    },
  };
  return actor;
}
