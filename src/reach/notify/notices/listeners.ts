// Which channels listen for answers: those with a message that waits for one, a while longer for who comes late, and those that
// always do. A bot that nobody has to answer is not asked for answers, as another program may ask it.
import { guarded } from "../../../kit/lifecycle/lifecycle.ts";
import type { Log } from "../../../kit/lifecycle/log.ts";
import type { Clock, Timer } from "../../../kit/time/clock.ts";
import type { Answered, Channel, Inbox, Reply, Sender } from "../channel.ts";
import type { MessageAction } from "../message-options.ts";

export interface ListenersDeps {
  clock: Clock;
  log: Log;
  channels: () => readonly Channel[];
  /** What a channel calls its messages that wait for an answer. */
  waiting: (channel: string) => readonly string[];
  actions: (channel: string, remote: string) => readonly MessageAction[];
  answered: (channel: string, answer: Answered) => Promise<string>;
  written: (channel: string, text: string, from: Sender) => Promise<Reply | undefined>;
}

export interface Listeners extends AsyncDisposable {
  /** To be called when a message begins or ends to wait. */
  look(): void;
  /** Why answers to this channel's messages did not reach the hub when it last listened. */
  problemOf(channel: string): ListeningProblem | undefined;
}

export interface ListeningProblem {
  /** Epoch ms since when. */
  readonly at: number;
  /** What to do about it, too. */
  readonly message: string;
}

const LINGER_MS = 10 * 60_000;

export function createListeners(deps: ListenersDeps): Listeners {
  const { clock, log, channels, waiting, actions, answered, written } = deps;
  const problems = new Map<string, ListeningProblem>();
  const listening = new Map<string, { ears: AsyncDisposable; leaving?: Timer }>();
  const ended = new Set<Promise<void>>();
  let closed = false;

  function inboxOf(channel: string): Inbox {
    return {
      answered: (answer) => answered(channel, answer),
      written: (text, from) => written(channel, text, from),
      waiting: () => waiting(channel),
      actions: (remote) => actions(channel, remote),
      reportProblem(message) {
        if (message === undefined) problems.delete(channel);
        else if (problems.get(channel)?.message !== message) problems.set(channel, { at: clock.now(), message });
      },
    };
  }

  function lookAt(channel: Channel): void {
    const { name, listensAlways = false } = channel;
    const needed = listensAlways || waiting(name).length > 0;
    const open = listening.get(name);
    if (needed && open) {
      open.leaving?.[Symbol.dispose]();
      delete open.leaving;
    } else if (needed && channel.listen) listening.set(name, { ears: channel.listen(inboxOf(name)) });
    else if (open) open.leaving ??= clock.after("notice-linger", LINGER_MS, () => leave(name));
  }

  function leave(name: string): void {
    const open = listening.get(name);
    listening.delete(name);
    if (!open) return;
    const end = Promise.resolve(open.ears[Symbol.asyncDispose]()).finally(() => ended.delete(end));
    ended.add(end);
  }

  return {
    look() {
      if (closed) return;
      for (const channel of channels()) if (channel.listen) guarded(log, "listen", () => lookAt(channel))();
    },
    problemOf: (channel) => problems.get(channel),
    async [Symbol.asyncDispose]() {
      closed = true;
      for (const [name, { leaving }] of [...listening]) {
        leaving?.[Symbol.dispose]();
        leave(name);
      }
      await Promise.allSettled(ended);
    },
  };
}
