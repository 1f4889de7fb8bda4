// Which connections are read from on while their account sends more than the hub takes. What one reads at once may be half a
// mebibyte, and a packet eight: an account that sends on twenty connections would fill the memory with half packets, of which only
// one or two are taken at a time. So few of them are read from, until they have handed on what they hold; the rest waits where it is.
import type { Clock, Timer } from "../../../kit/time/clock.ts";

export interface ReceiveTurns {
  join(account: string): ReceiveTurn;
}

/** Of one connection, whose socket is paused. */
export interface ReceiveTurn extends Disposable {
  /** Calls `resume` when it may read on: at once, or when others of its account have handed on what they hold. */
  ask(resume: () => void): void;
  /** So much was received and is not handed on. */
  holds(bytes: number): void;
}

/** What the connections of an account that are read from may hold, before a further one is. */
const MAX_HELD_BYTES = 2 * 1_048_576;
/** A connection brings at least so much when it is read from. */
const CHUNK_BYTES = 524_288;
/** Less is the rest of a batch. */
const DONE_BYTES = 16_384;
/** Those that are read from may be slow: then one more is. */
const WAIT_MS = 1000;

interface Account {
  /** Those that are read from, with what they hold. */
  readonly reading: Map<ReceiveTurn, number>;
  readonly waiting: Map<ReceiveTurn, () => void>;
  timer?: Timer | undefined;
}

export function createReceiveTurns(clock: Clock): ReceiveTurns {
  const accounts = new Map<string, Account>();

  function admitNext({ waiting, reading }: Account): void {
    const [next] = waiting;
    if (!next) return;
    const [turn, resume] = next;
    waiting.delete(turn);
    reading.set(turn, 0);
    resume();
  }

  function admit(name: string, account: Account): void {
    while (account.waiting.size > 0 && hasSpace(account)) admitNext(account);
    if (account.waiting.size + account.reading.size === 0) {
      account.timer?.[Symbol.dispose]();
      accounts.delete(name);
    } else account.timer ??= clock.after("mqtt receive turns", WAIT_MS, () => goOn(name, account));
  }

  function goOn(name: string, account: Account): void {
    account.timer = undefined;
    // Their clients have nothing more to send.
    for (const [turn, bytes] of account.reading) if (bytes === 0) account.reading.delete(turn);
    admitNext(account);
    admit(name, account);
  }

  return {
    join(name) {
      function end(): void {
        const account = accounts.get(name);
        if (!account) return;
        const wasThere = account.reading.delete(turn) || account.waiting.delete(turn);
        if (wasThere) admit(name, account);
      }
      const turn: ReceiveTurn = {
        ask(resume) {
          const account: Account = accounts.get(name) ?? { reading: new Map(), waiting: new Map() };
          if (account.reading.has(turn)) {
            resume();
            return;
          }
          accounts.set(name, account);
          account.waiting.set(turn, resume);
          admit(name, account);
        },
        holds(bytes) {
          const reading = accounts.get(name)?.reading;
          if (!reading?.has(turn)) return;
          if (bytes <= DONE_BYTES) end();
          else reading.set(turn, bytes);
        },
        [Symbol.dispose]: end,
      };
      return turn;
    },
  };
}

function hasSpace({ reading }: Account): boolean {
  let held = 0;
  for (const bytes of reading.values()) held += Math.max(bytes, CHUNK_BYTES);
  return held < MAX_HELD_BYTES;
}
