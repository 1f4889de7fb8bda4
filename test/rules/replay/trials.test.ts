// Replays in a thread of their own: listed, cancelled, one for each caller.
import { afterEach, beforeEach, expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { systemClock } from "../../../src/kit/time/clock.ts";
import { createRuleExpressions } from "../../../src/rules/read/expressions.ts";
import type { RecordedHistory } from "../../../src/rules/replay/recorded.ts";
import { replayWorker } from "../../../src/rules/replay/replay-thread.ts";
import { createTrials, type TrialReplay, type Trials } from "../../../src/rules/replay/trials.ts";
import { createRuleReader } from "../../../src/rules/store/read-rule.ts";
import { createHouse, type House } from "../support/host.ts";

const AT = Date.parse("2026-01-20T00:00:00Z");
const HOUR = 3_600_000;
const RULE = `name = "test"
  [trigger]
  type = "device_state_changed"
  device_id = "door"
  attribute = "open"
  to = true
  [[actions]]
  type = "log_message"
  message = "open"`;

let house: House;
let trials: Trials;
beforeEach(() => {
  house = createHouse();
  const expressions = createRuleExpressions();
  trials = createTrials({
    house,
    clock: systemClock,
    random: (bytes) => randomBytes(bytes),
    evaluate: expressions.evaluate,
    reader: createRuleReader(expressions),
    ids: () => [],
    find() {
      throw new Error("nothing is saved here");
    },
    bound: (version) => version,
    replays: {
      worker: replayWorker(),
      house: () => ({ devices: [], variables: {}, calendars: {}, timezone: "UTC", place: undefined, now: AT }),
    },
  });
});
let leaving: AbortController;
beforeEach(() => {
  leaving = new AbortController();
});
afterEach(() => leaving.abort());

const pageOf = (...values: boolean[]): string =>
  JSON.stringify(
    values.map((value, hour) => ({ timestamp: new Date(AT + hour * HOUR).toISOString(), attribute: "open", value })),
  );
const wanted = (history: RecordedHistory, caller = "ann"): TrialReplay => ({
  ...{ from: AT, to: AT + 24 * HOUR, history, signal: leaving.signal, withoutSecrets: false, caller },
});
/** A history that never answers. */
function silent(): { history: RecordedHistory; asked: Promise<void> } {
  const asked = Promise.withResolvers<void>();
  const history: RecordedHistory = {
    query() {
      asked.resolve();
      return new Promise(() => {});
    },
  };
  return { history, asked: asked.promise };
}
const messageFrom = (replay: Promise<unknown>): Promise<string> =>
  replay.then(
    () => "done",
    (error: Error) => error.message,
  );

test("a rule that is not saved, as its text and as its JSON", async () => {
  const history: RecordedHistory = { query: async () => ({ text: pageOf(false, true, false, true), next: undefined }) };
  const fromText = await trials.replay({ text: RULE }, wanted(history));
  expect(fromText.firings.map(({ at }) => (at - AT) / HOUR)).toEqual([1, 3]);
  const rule = {
    name: "test",
    trigger: { type: "device_state_changed", device_id: "door", to: true },
    actions: [{ type: "log_message", message: "open" }],
  };
  expect((await trials.replay({ rule }, wanted(history))).firings).toHaveLength(2);
  expect(trials.running()).toEqual([]);
  expect(await messageFrom(trials.replay({ text: "name = 1" }, wanted(history)))).toContain("must be text");
});

test("is listed, and who cancels it ends it", async () => {
  const { history, asked } = silent();
  const replay = messageFrom(trials.replay({ text: RULE }, wanted(history)));
  await asked;
  const [running] = trials.running();
  expect(running).toMatchObject({ ruleId: undefined, caller: "ann", from: AT, to: AT + 24 * HOUR, samples: 0 });
  trials.cancel(running?.id ?? "");
  expect(await replay).toBe("the replay was cancelled");
  expect(trials.running()).toEqual([]);
  expect(() => trials.cancel(running?.id ?? "")).toThrow("is running");
});

test("one for each caller, and two in all", async () => {
  const first = silent();
  const ann = messageFrom(trials.replay({ text: RULE }, wanted(first.history)));
  await first.asked;
  expect(await messageFrom(trials.replay({ text: RULE }, wanted(first.history)))).toContain("your last replay");
  const second = silent();
  const ben = messageFrom(trials.replay({ text: RULE }, wanted(second.history, "ben")));
  await second.asked;
  expect(await messageFrom(trials.replay({ text: RULE }, wanted(first.history, "eve")))).toContain("is the limit");
  leaving.abort(new Error("gone"));
  expect([await ann, await ben]).toEqual(["gone", "gone"]);
});

test("the history's refusal is the answer", async () => {
  const history: RecordedHistory = { query: () => Promise.reject(new Error("the history is restarting")) };
  expect(await messageFrom(trials.replay({ text: RULE }, wanted(history)))).toBe("the history is restarting");
});
