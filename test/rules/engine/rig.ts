// An engine in a scripted house, with a real feed, a real database and journal and a virtual clock. One call stops the hub and
// starts it again on the same files, and time may pass in between.
import { Database } from "bun:sqlite";
import { openReadings } from "../../../src/app/hub/open-readings.ts";
import { createLimitReports } from "../../../src/kit/lifecycle/limits.ts";
import { type Log, silentLog } from "../../../src/kit/lifecycle/log.ts";
import type { Json, JsonObject } from "../../../src/kit/schema/json.ts";
import { createZone } from "../../../src/kit/time/zone.ts";
import { Engine, type EngineOptions } from "../../../src/rules/engine/engine.ts";
import type { Typed } from "../../../src/rules/model/define.ts";
import type { RuleDevice, RuleHost } from "../../../src/rules/model/host.ts";
import type { Rule } from "../../../src/rules/read/rule.ts";
import type { HubEvent } from "../../../src/server/events/catalog.ts";
import { createEventFeed, type EventFeed } from "../../../src/server/events/feed.ts";
import { openTestState } from "../../support/state-db.ts";
import { createTemporaryFolder } from "../../support/temporary-folder.ts";
import { createVirtualClock, type VirtualClock } from "../../support/virtual-clock.ts";
import { evaluate as evaluateWords, words } from "./words.ts";

export interface Rig extends AsyncDisposable {
  readonly clock: VirtualClock;
  engine: Engine;
  feed: EventFeed;
  /** Commands to devices, as `lamp {"on":true}`. */
  readonly commands: string[];
  readonly events: HubEvent[];
  readonly logged: string[];
  /** A device reports attributes; the others stay. */
  report(id: string, attributes: JsonObject, change?: JsonObject): void;
  /** Where a device is, what it is, and its tags. */
  place(id: string, where: Partial<Pick<RuleDevice, "area" | "deviceType" | "tags">>): void;
  emit(event: string, fields?: JsonObject): void;
  /** Puts the rules and starts the engine. */
  begin(...rules: Rule[]): void;
  /** How a device's plugin handles a command. */
  onCommand(then: (id: string, command: JsonObject, ruleId: string) => void | Promise<void>): void;
  restart(how?: {
    crash?: boolean;
    offMs?: number;
    stepMs?: number;
    meanwhile?: () => void;
    /** Instead of the former ones. */
    rules?: Rule[];
  }): Promise<void>;
  /** Without an event. */
  setVariable(name: string, value: Json): void;
  /** Reads the database. */
  rows(query: string): unknown[];
  /** Changes the database while the hub is off. */
  sql(statement: string): void;
  /** How many events of this type were emitted. */
  count(type: string): number;
  /** Outcome and reason of the newest trace. */
  last(ruleId: string): string;
}

export function rule(id: string, more: Partial<Omit<Rule, "triggers">> & { triggers?: Typed[] | Typed }): Rule {
  const { triggers = [], ...rest } = more;
  return {
    id,
    name: id,
    enabled: true,
    priority: 0,
    cooldown_secs: 0,
    tags: [],
    conditions: [],
    actions: [],
    run_mode: "parallel",
    max_queued: 10,
    variables: {},
    durable: true,
    ...rest,
    triggers: Array.isArray(triggers) ? triggers : [triggers],
  };
}

export const opened = { type: "changes", device: "door", attribute: "open", to: true };
export const on = (device: string): Typed => ({ type: "set", device, state: { on: true } });

type Words = Pick<EngineOptions, "vocabulary" | "evaluate" | "config" | "waitKept">;

export const OWN: Words = { vocabulary: words, evaluate: evaluateWords };

/** By default with the kinds of words.ts. */
export function openRig({ vocabulary, evaluate, ...config }: Words = OWN): Rig {
  const folder = createTemporaryFolder();
  const clock = createVirtualClock();
  const devices = new Map<string, RuleDevice>();
  const variables = new Map<string, Json>();
  const logged: string[] = [];
  const note = (message: string, fields?: object): void => void logged.push(`${message} ${JSON.stringify(fields)}`);
  const log: Log = { ...silentLog, warn: note, error: note };
  let then: (id: string, command: JsonObject, ruleId: string) => void | Promise<void> = () => {};
  let rules: Rule[] = [];
  const stateDb = folder.at("state.redb");
  let db = openTestState(stateDb, clock.now);
  let journals = new AsyncDisposableStack();
  let hasCrashed = false;
  let mark = 0;

  const host: RuleHost = {
    device: (id) => devices.get(id),
    devices: () => devices.values(),
    variable: (name) => variables.get(name),
    setVariable(name, value) {
      const previous_value = variables.get(name) ?? null;
      variables.set(name, value);
      rig.feed.emit({ type: "hub_variable_changed", name, value, previous_value });
    },
    mode: () => undefined,
    hasScene: () => false,
    hasArea: () => false,
    hasChannel: () => false,
    clearNotification: () => false,
    async command(id, command, actor) {
      rig.commands.push(`${id} ${JSON.stringify(command)}`);
      await then(id, command, actor.id);
    },
    described: () => undefined,
    presentStates: () => ({}),
    activateScene: async () => {},
    async notify({ channels, message }, _signal, record) {
      if (record) db.own.transaction(record).immediate();
      for (const channel of channels) rig.commands.push(`${channel}: ${message}`);
      return { notes: [] };
    },
    publish: async () => {},
    request: async () => ({ status: 200, body: "" }),
    ping: async () => ({ reachable: false }),
    emit: (event) => rig.feed.emit(event),
    notifyPlugins() {},
    now: clock.now,
    random: () => 0.5,
    calendars: undefined,
    zone: createZone("UTC"),
    sun: undefined,
  };

  function start(): void {
    rig.feed = createEventFeed({
      clock,
      log,
      buffer: 100,
      mark: {
        load: () => mark,
        save: (seq) => {
          mark = seq;
        },
      },
    });
    rig.feed.on("*", "test", ({ event }) => void rig.events.push(event));
    const random = (bytes: number): Uint8Array => crypto.getRandomValues(new Uint8Array(bytes));
    const opened = openReadings({ db, stateDb, clock, log, flushSecs: 60 }, journals);
    const journal = opened && {
      ...opened,
      writeRuns: (...note: Parameters<typeof opened.writeRuns>) => {
        if (hasCrashed) throw new Error("the hub crashed");
        opened.writeRuns(...note);
      },
    };
    const limits = createLimitReports({ clock, log, emit: rig.feed.emit });
    const parts = { feed: rig.feed, clock, log, random, host, db, journal, limits };
    rig.engine = new Engine({ ...parts, vocabulary, evaluate, ...config });
  }

  const rig = {
    clock,
    commands: [],
    events: [],
    logged,
    report(id, attributes, change) {
      const before = devices.get(id)?.attributes ?? {};
      const current = { ...before, ...attributes };
      const changed = Object.keys(attributes);
      devices.set(id, {
        ...{ id, name: id, area: undefined, deviceType: undefined, tags: [], available: true },
        ...devices.get(id),
        attributes: current,
        lastChanged: {
          ...devices.get(id)?.lastChanged,
          ...Object.fromEntries(changed.map((name) => [name, clock.now()])),
        },
      });
      const event = { type: "device_state_changed", device_id: id, previous: before, current, changed } as const;
      rig.feed.emit({ ...event, ...(change && { change }) });
    },
    place(id, where) {
      const before = devices.get(id) ?? {
        ...{ id, name: id, area: undefined, deviceType: undefined, tags: [], available: true },
        ...{ attributes: {}, lastChanged: {} },
      };
      devices.set(id, { ...before, ...where });
    },
    emit: (event, fields) => rig.feed.emit({ type: `custom_${event}`, ...fields }),
    begin(...begun) {
      rules = begun;
      for (const one of begun) rig.engine.put(one);
      rig.engine.ready();
    },
    onCommand(given) {
      then = given;
    },
    setVariable: (name, value) => void variables.set(name, value),
    rows: (query) => db.own.query(query).all(),
    sql(statement) {
      using file = new Database(stateDb);
      file.run(statement);
    },
    async restart({ crash = false, offMs = 0, stepMs = 0, meanwhile, rules: others = rules } = {}) {
      hasCrashed = crash;
      if (crash) db[Symbol.dispose]();
      await rig.engine[Symbol.asyncDispose]();
      await journals.disposeAsync();
      if (!crash) db[Symbol.dispose]();
      hasCrashed = false;
      journals = new AsyncDisposableStack();
      await clock.advance(offMs);
      clock.step(stepMs);
      meanwhile?.();
      db = openTestState(stateDb, clock.now);
      start();
      rig.begin(...others);
    },
    count: (type) => rig.events.filter((event) => event.type === type).length,
    last(ruleId) {
      const [trace] = rig.engine.traces(ruleId);
      return trace ? `${trace.outcome}: ${trace.why}` : "never evaluated";
    },
    async [Symbol.asyncDispose]() {
      await rig.engine[Symbol.asyncDispose]();
      await journals.disposeAsync();
      db[Symbol.dispose]();
      folder[Symbol.dispose]();
    },
  } as Partial<Rig> as Rig;
  start();
  return rig;
}
