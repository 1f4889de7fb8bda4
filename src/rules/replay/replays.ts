// Replays of the rules that run, by id.
import { HubError } from "../../core/errors.ts";
import { actions } from "../actions/index.ts";
import { conditions } from "../conditions/index.ts";
import type { GoodVersion } from "../store/read-rule.ts";
import { triggers } from "../triggers/index.ts";
import { type Replay, type ReplayOptions, type ReplayWanted, replayRule } from "./replay.ts";

export type Replays = (id: string, wanted: ReplayWanted) => Promise<Replay>;

type Given = Pick<ReplayOptions, "host" | "clock" | "random" | "evaluate" | "hasRule">;

/** `find` throws where there is no such rule. */
export function createReplays(given: Given, find: (id: string) => GoodVersion | undefined): Replays {
  const { host, clock, random, evaluate, hasRule } = given;
  const vocabulary = { triggers, conditions, actions };
  return async (id, wanted) => {
    const good = find(id);
    if (!good) throw new HubError("not_found", `there is no rule "${id}"`);
    const { rule, references } = good;
    return replayRule({ rule, references, host, clock, random, evaluate, hasRule, vocabulary }, wanted);
  };
}
