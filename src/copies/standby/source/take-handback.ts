// Takes what the machine that was the hub before still has: see handback.ts beside this folder.
import type { Log } from "../../../kit/lifecycle/log.ts";
import { messageOf } from "../../../kit/schema/errors.ts";
import type { HandbackAnswer, HandbackRequest, HandbackTaken, LeftMessage } from "../handback.ts";
import type { HistoryAnswer } from "../protocol.ts";
import type { NotedWanted } from "../wanted.ts";

/** Where it goes. What is there already is not taken twice; on the disk when they answer. */
export interface HandbackSinks {
  /** The history, and everywhere that it is exported to. How many samples were not there. */
  samples(series: HistoryAnswer["series"]): Promise<number>;
  /** The outbox. How many messages were not there. */
  messages(messages: readonly LeftMessage[]): number;
}

export interface HandbackOptions {
  /** See `readWanted`. */
  wanted: () => NotedWanted | undefined;
  forget: () => void;
  sinks: HandbackSinks;
  log: Pick<Log, "info" | "warn">;
}

export interface Handback {
  /** Rejects with HubError as the sinks do; nothing is lost then, as it is sent again. */
  take(request: HandbackRequest): Promise<HandbackAnswer | HandbackTaken>;
}

const NOTHING: HandbackTaken = { samples: 0, messages: 0 };

export function createHandback({ wanted, forget, sinks, log }: HandbackOptions): Handback {
  const all = { ...NOTHING };

  function end(): void {
    if (all.samples > 0 || all.messages > 0)
      log.info("the machine that was the hub before has sent what was missing", { ...all });
    [all.samples, all.messages] = [0, 0];
    try {
      forget();
    } catch (error) {
      log.warn("what the machine that was the hub before has sent cannot be noted", { error: messageOf(error) });
    }
  }

  return {
    async take({ machine, series, messages, done }) {
      const noted = wanted();
      const isWanted = noted !== undefined && (noted.from ?? machine) === machine;
      if (!series && !messages && !done) {
        if (!isWanted) return { wanted: null };
        return { wanted: { historyFrom: noted.historyFrom, messages: noted.messages } };
      }
      if (!isWanted) return NOTHING;
      const taken = {
        samples: series && noted.historyFrom !== null ? await sinks.samples(series) : 0,
        messages: messages && noted.messages ? sinks.messages(messages) : 0,
      };
      all.samples += taken.samples;
      all.messages += taken.messages;
      if (done) end();
      return taken;
    },
  };
}
