// Replays and tests of a rule in a house whose history a test writes, with the real history database.
import { randomBytes } from "node:crypto";
import type { JsonObject } from "../../../src/kit/schema/json.ts";
import { createSun } from "../../../src/kit/time/sun.ts";
import { actions } from "../../../src/rules/actions/index.ts";
import { conditions } from "../../../src/rules/conditions/index.ts";
import { createRuleExpressions } from "../../../src/rules/read/expressions.ts";
import { type Replay, type ReplayOptions, type ReplayWanted, replayRule } from "../../../src/rules/replay/replay.ts";
import { type TestOptions, type TestResult, type TestWanted, testRule } from "../../../src/rules/replay/test-run.ts";
import { createRuleReader } from "../../../src/rules/store/read-rule.ts";
import { triggers } from "../../../src/rules/triggers/index.ts";
import { startHistoryRig } from "../../house/history/history-rig.ts";
import { createTemporaryFolder } from "../../support/temporary-folder.ts";
import { createHouse, type House } from "../support/host.ts";

export interface ReplayRig extends AsyncDisposable {
  readonly house: House;
  /** A device reports some of its attributes at this time. Times must not go back. */
  report(at: string, deviceId: string, attributes: JsonObject): void;
  /** `rule` is TOML without id and name. */
  replay(
    rule: string,
    period: { from: string; to: string },
    more?: Partial<ReplayOptions & ReplayWanted>,
  ): Promise<Replay>;
  /** `rule` as above. */
  test(rule: string, wanted?: TestWanted, more?: Partial<TestOptions>): Promise<TestResult>;
}

export function openReplayRig({ timezone = "Europe/Berlin" } = {}): ReplayRig {
  const folder = createTemporaryFolder();
  const history = startHistoryRig({ path: folder.at("history.db"), timezone, flushSecs: 3600 });
  const house = createHouse({ timezone, sun: createSun({ latitude: 52.5, longitude: 13.4 }) });
  const expressions = createRuleExpressions();
  const reader = createRuleReader(expressions);
  const states = new Map<string, JsonObject>();

  function optionsFor(text: string): TestOptions {
    const read = reader.read(`id = "rule-1"\nname = "test"\n${text}`, { file: "test.toml" });
    if (!read.good) throw new Error(read.problems.map(({ message }) => message).join("; "));
    return {
      ...read.good,
      house,
      clock: house.clock,
      random: (bytes: number) => randomBytes(bytes),
      vocabulary: { triggers, conditions, actions },
      evaluate: expressions.evaluate,
      hasRule: (id) => id === "other",
    };
  }

  history.clock.step(Date.parse("2026-01-01T00:00:00Z") - history.clock.now());

  return {
    house,
    report(at, deviceId, attributes) {
      const stepMs = Date.parse(at) - history.clock.now();
      if (stepMs < 0) throw new Error(`${at} is in the past`);
      history.clock.step(stepMs);
      const current = { ...states.get(deviceId), ...attributes };
      states.set(deviceId, current);
      house.put(deviceId, { attributes: current });
      history.report(deviceId, current);
    },
    async replay(text, { from, to }, more = {}) {
      return replayRule(
        { ...optionsFor(text), ...more },
        {
          from: Date.parse(from),
          to: Date.parse(to),
          history: history.history,
          withoutSecrets: false,
          ...more,
        },
      );
    },
    test: (text, wanted = {}, more = {}) => testRule({ ...optionsFor(text), ...more }, wanted),
    async [Symbol.asyncDispose]() {
      await history[Symbol.asyncDispose]();
      folder[Symbol.dispose]();
    },
  };
}

/** `2026-01-20T18:00:00.000Z hall_lamp {"on":true}`. */
export function firingsOf({ firings }: Replay): string[] {
  return firings.map(({ at, actions }) =>
    [new Date(at).toISOString(), ...actions.map(({ detail, error, type }) => error ?? detail ?? type)].join(" "),
  );
}
