// A folder of rule files with everything behind it: the real engine, database and feed, and a clock that the test holds.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { type Log, silentLog } from "../../../src/kit/lifecycle/log.ts";
import type { RulesOptions } from "../../../src/rules/rules.ts";
import { Rules } from "../../../src/rules/rules.ts";
import type { HubEvent } from "../../../src/server/events/catalog.ts";
import { createEventFeed, type EventFeed } from "../../../src/server/events/feed.ts";
import { openTestState } from "../../support/state-db.ts";
import { createTemporaryFolder, type TemporaryFolder } from "../../support/temporary-folder.ts";
import type { VirtualClock } from "../../support/virtual-clock.ts";
import { createHouse, type House } from "../support/host.ts";

export interface RulesRig extends AsyncDisposable {
  readonly home: TemporaryFolder;
  readonly folder: string;
  readonly house: House;
  readonly clock: VirtualClock;
  readonly rules: Rules;
  readonly feed: EventFeed;
  readonly events: HubEvent[];
  readonly warnings: string[];
  /** What was logged of files while the hub ran: `what: file or id`. */
  readonly logged: string[];
  put(file: string, text: string): void;
  read(file: string): string;
  remove(file: string): void;
  /** Names in the folder, without the trash. */
  files(): string[];
  at(file: string): string;
  /** `name: state` of all that is listed. */
  states(): string[];
  /** Ids of rules that fired, in order. */
  fired(): string[];
  /** Emits the event that fires the rules of `toml`. */
  shout(): Promise<void>;
  /** Lets the folder be looked at. */
  look(): Promise<void>;
  /** A hub that ends, and one that starts on the same home: `onReading` is called before it has read any file. */
  restart(meanwhile?: () => void, onReading?: (rules: Rules) => void): Promise<void>;
}

/** A rule that fires when somebody shouts. */
export function toml(name: string, more: { id?: string; top?: string; action?: string } = {}): string {
  const { id = "", top = "", action = `type = "log_message"\nmessage = "heard"` } = more;
  return `id = "${id}"\nname = "${name}"\n${top}
[trigger]
type = "custom_event"
event_type = "shout"

[[actions]]
${action}
`;
}

export async function openRulesRig(
  files: Record<string, string> = {},
  options: Pick<RulesOptions, "renamed" | "names"> = {},
): Promise<RulesRig> {
  const home = createTemporaryFolder();
  const folder = home.at("rules");
  mkdirSync(folder);
  const at = (file: string): string => home.at("rules", file);
  const put = (file: string, text: string): void => writeFileSync(at(file), text);
  for (const [file, text] of Object.entries(files)) put(file, text);
  const house = createHouse();
  const { clock } = house;
  const events: HubEvent[] = [];
  const warnings: string[] = [];
  const logged: string[] = [];
  const log: Log = {
    ...silentLog,
    warn: (message, fields) => warnings.push(`${message} ${JSON.stringify(fields)}`),
    info(message, { file, id } = {}) {
      const which = file ?? id;
      if (which !== undefined) logged.push(`${message}: ${which}`);
    },
  };
  let stack = new AsyncDisposableStack();

  async function start(onReading = (_: Rules): void => {}): Promise<{ feed: EventFeed; rules: Rules }> {
    stack = new AsyncDisposableStack();
    const db = stack.use(openTestState(home.at("state.redb"), clock.now));
    const feed = createEventFeed({ clock, log: silentLog, buffer: 100, mark: { load: () => 0, save() {} } });
    feed.on("*", "test", ({ event }) => events.push(event));
    const random = (bytes: number): Uint8Array => crypto.getRandomValues(new Uint8Array(bytes));
    const host = { ...house, emit: feed.emit, hasChannel: (name: string) => name === "log" };
    const rules = stack.use(new Rules({ folder, feed, clock, log, random, host, db, ...options }));
    onReading(rules);
    await rules.start();
    return { feed, rules };
  }

  let running = await start();
  return {
    home,
    folder,
    house,
    clock,
    events,
    warnings,
    logged,
    at,
    put,
    get rules() {
      return running.rules;
    },
    get feed() {
      return running.feed;
    },
    read: (file) => readFileSync(at(file), "utf8"),
    remove: (file) => rmSync(at(file)),
    files: () => (existsSync(folder) ? readdirSync(folder).filter((name) => name !== ".trash") : []).sort(),
    states: () => running.rules.list().map(({ name, state }) => `${name}: ${state}`),
    fired: () => events.flatMap((event) => (event.type === "rule_fired" ? [String(event.rule_id)] : [])),
    async shout() {
      running.feed.emit({ type: "custom_shout" });
      await clock.advance(0);
    },
    look: () => clock.advance(1000),
    async restart(meanwhile = () => {}, onReading) {
      await stack.disposeAsync();
      meanwhile();
      running = await start(onReading);
    },
    async [Symbol.asyncDispose]() {
      await stack.disposeAsync();
      home[Symbol.dispose]();
    },
  };
}
