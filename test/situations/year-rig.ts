// Rules through a year: real files, a real database, and a clock that jumps from one moment to the next. The test decides
// when the hub stops and when the power is cut.
import { mkdirSync, writeFileSync } from "node:fs";
import { silentLog } from "../../src/kit/lifecycle/log.ts";
import { createSun, type Place } from "../../src/kit/time/sun.ts";
import { Rules } from "../../src/rules/rules.ts";
import { createEventFeed } from "../../src/server/events/feed.ts";
import { createHouse } from "../rules/support/host.ts";
import { openTestState } from "../support/state-db.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";
import { createHoppingClock, type HoppingClock } from "./hopping-clock.ts";

const FLUSH_MS = 10 * 60_000;

export interface Case {
  /** RON of the trigger, and further fields of the rule. */
  trigger: string;
  more?: string;
}

function ruleText(id: string, { trigger, more = "" }: Case): string {
  return `(id: "${id}", name: "${id}", ${more} trigger: ${trigger}, actions: [Comment(text: "°😀")])\n`;
}

export interface Firing {
  /** The moment it was scheduled for, from the trigger context. */
  scheduled: number;
  /** When it fired. */
  at: number;
}

export interface YearRig extends AsyncDisposable {
  readonly clock: HoppingClock;
  readonly rules: Rules;
  of(id: string): Firing[];
  /** Stops the rules cleanly or by a power cut, and starts them again after some time. */
  restart(offMs: number, how: "stopped" | "cut"): Promise<void>;
}

export interface YearOptions {
  timeZone: string;
  place: Place;
  from: number;
  /** The names are the ids. */
  cases: Readonly<Record<string, Case>>;
}

export async function openYear({ timeZone, place, from, cases }: YearOptions): Promise<YearRig> {
  await using stack = new AsyncDisposableStack();
  const home = stack.use(createTemporaryFolder());
  mkdirSync(home.at("rules"));
  for (const [id, one] of Object.entries(cases)) writeFileSync(home.at("rules", `${id}.ron`), ruleText(id, one));
  // Polling the files twice a second would be most of the work of a year.
  const clock = createHoppingClock(from, { without: (name) => name.startsWith("watch ") });
  const house = createHouse({ timezone: timeZone, sun: createSun(place) });
  const firings = new Map<string, Firing[]>();

  async function start(): Promise<{ rules: Rules; parts: AsyncDisposableStack }> {
    const parts = new AsyncDisposableStack();
    const db = parts.use(openTestState(home.at("state.redb"), clock.now));
    const feed = createEventFeed({ clock, log: silentLog, buffer: 10, mark: { load: () => 0, save() {} } });
    feed.on("rule_fired", "test", ({ event }) => {
      const { rule_id, trigger_context } = event as unknown as {
        rule_id: string;
        trigger_context: { scheduled_at: string };
      };
      const list = firings.get(rule_id) ?? [];
      firings.set(rule_id, list);
      list.push({ scheduled: Date.parse(trigger_context.scheduled_at), at: clock.now() });
    });
    const rules = parts.use(
      new Rules({
        folder: home.at("rules"),
        feed,
        clock,
        log: silentLog,
        random: (bytes) => crypto.getRandomValues(new Uint8Array(bytes)),
        host: { ...house, now: clock.now, emit: feed.emit },
        db,
        flushMs: FLUSH_MS,
      }),
    );
    await rules.start();
    return { rules, parts };
  }

  let running = await start();
  stack.defer(() => running.parts.disposeAsync());
  const opened = stack.move();
  return {
    clock,
    get rules() {
      return running.rules;
    },
    of: (id) => firings.get(id) ?? [],
    async restart(offMs, how) {
      if (how === "stopped") await running.parts.disposeAsync();
      // Nothing that is still unwritten reaches the disk.
      else opened.use(running.parts);
      clock.dropTimers();
      clock.skip(offMs);
      running = await start();
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}
