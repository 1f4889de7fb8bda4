// The thread of a replay: it does one, and is ended then.
import { randomBytes } from "node:crypto";
import { HubError, messageOf } from "../../kit/schema/errors.ts";
import { systemClock } from "../../kit/time/clock.ts";
import { actions } from "../actions/index.ts";
import { conditions } from "../conditions/index.ts";
import { createRuleExpressions } from "../read/expressions.ts";
import { triggers } from "../triggers/index.ts";
import { readsOf } from "./house-now.ts";
import type { RecordedHistory, RecordedPage } from "./recorded.ts";
import { replayRule } from "./replay.ts";
import type { FromWorker, ReplayTask, ToWorker } from "./worker-protocol.ts";

declare const self: Worker;

const post = (message: FromWorker): void => self.postMessage(message);
const asked = new Map<number, PromiseWithResolvers<RecordedPage>>();
let queries = 0;

const history: RecordedHistory = {
  query(query) {
    const id = ++queries;
    const page = Promise.withResolvers<RecordedPage>();
    asked.set(id, page);
    post({ kind: "query", id, query });
    return page.promise;
  },
};

function take(id: number): PromiseWithResolvers<RecordedPage> | undefined {
  const page = asked.get(id);
  asked.delete(id);
  return page;
}

async function replay({ rules, house, ...task }: ReplayTask): Promise<void> {
  const known = new Set(rules);
  try {
    const options = {
      ...task,
      house: readsOf(house),
      clock: systemClock,
      random: (bytes: number) => randomBytes(bytes),
      vocabulary: { triggers, conditions, actions },
      evaluate: createRuleExpressions().evaluate,
      hasRule: (id: string) => known.has(id),
    };
    const onProgress = (progress: Extract<FromWorker, { kind: "progress" }>["progress"]): void =>
      post({ kind: "progress", progress });
    post({ kind: "done", replay: await replayRule(options, { ...task, history, onProgress }) });
  } catch (error) {
    post({ kind: "failed", code: error instanceof HubError ? error.code : undefined, message: messageOf(error) });
  }
}

self.onmessage = ({ data }: MessageEvent<ToWorker>) => {
  if (data.kind === "begin") void replay(data.task);
  else if (data.kind === "page") take(data.id)?.resolve(data.page);
  else take(data.id)?.reject(new HubError(data.code, data.message));
};
