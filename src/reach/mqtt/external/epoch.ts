// Two machines that share a house share its session at the external broker too, where the hub of now keeps a retained note of its
// epoch (`{p}/epoch`). A hub that reads of a later one stops, before it connects in that one's place. The lease decides, not the
// note: its engine may have lost its epochs, and then the hub of now has a lower one.
import type { HubFence } from "../../../kit/lifecycle/fence.ts";
import { background } from "../../../kit/lifecycle/lifecycle.ts";
import type { Log } from "../../../kit/lifecycle/log.ts";
import { messageOf } from "../../../kit/schema/errors.ts";
import { isObject, parseJson } from "../../../kit/schema/json.ts";
import type { Clock } from "../../../kit/time/clock.ts";
import type { Connection } from "./connection.ts";

/** What the hub is in a house with two machines. */
export interface Rank {
  readonly machine: { readonly id: string; readonly name: string };
  /** Grows each time that another machine becomes the hub. */
  epoch(): number;
  readonly fence: HubFence;
  /** Asks the lease's engine whether this machine has it; undefined where a person decides. Never rejects. */
  readonly confirm: (() => Promise<boolean>) | undefined;
  /** Whether the engine cannot be asked now. */
  isTroubled(): boolean;
  /** The last note of a hub with this state database, whichever machine that ran on. */
  readonly kept: { get(): string | undefined; set(note: string): void };
}

export interface EpochOptions extends Rank {
  prefix: string;
  /** Distinguishes the houses of one broker: the client id, which both machines have. */
  house: string;
  clock: Pick<Clock, "mono">;
  log: Log;
}

interface Note {
  epoch: number;
  machine: string;
  name: string;
  house: string;
}

const RETRY_MS = 10_000;

export class EpochNotes {
  readonly topic: string;
  readonly #options: EpochOptions;
  #connection: Connection | undefined;
  #contradicted = Number.NEGATIVE_INFINITY;

  constructor(options: EpochOptions) {
    this.#options = options;
    this.topic = `${options.prefix}/epoch`;
  }

  /** Before the hub connects with its own client id: the note that the broker keeps. Closes the fence where it is a later hub's. */
  async judge(text: string | undefined): Promise<void> {
    const note = this.#ofOtherMachine(text);
    if (note && note.epoch > this.#options.epoch()) await this.#doubt(note);
  }

  /** Before anything else is sent. */
  connected(connection: Connection): void {
    this.#connection = connection;
    this.#announce();
  }

  disconnected(): void {
    this.#connection = undefined;
  }

  /** A note while the hub is connected. */
  received(text: string): void {
    const { epoch, clock, log } = this.#options;
    const note = this.#ofOtherMachine(text);
    if (!note || note.epoch === epoch()) return;
    if (note.epoch > epoch()) {
      background(log, "epoch of another hub", this.#doubt(note));
      return;
    }
    // An older hub that has come back: the broker keeps the right note again, and the older one reads it.
    if (clock.mono() - this.#contradicted < RETRY_MS) return;
    this.#contradicted = clock.mono();
    this.#announce();
  }

  #ofOtherMachine(text: string | undefined): Note | undefined {
    const { house, machine, kept } = this.#options;
    const note = text === undefined ? undefined : readNote(text);
    if (!note || note.house !== house || note.machine === machine.id) return undefined;
    return textOf(note) === kept.get() ? undefined : note;
  }

  /** At once nothing is sent any more; the engine of the lease, where there is one, says whether that stays so. */
  async #doubt({ epoch, name }: Note): Promise<void> {
    const { fence, confirm, log } = this.#options;
    const own = this.#options.epoch();
    const reason = `the machine "${name}" has taken over, as the MQTT broker says (epoch ${epoch}, here ${own})`;
    {
      using _ = fence.suspend(reason);
      if (!(await confirm?.())) {
        fence.close(reason);
        return;
      }
    }
    log.warn("the MQTT broker knows a later epoch than the lease has, which counts", { broker: epoch, lease: own });
    this.#announce();
  }

  #announce(): void {
    const { house, machine, fence, kept, log } = this.#options;
    const connection = this.#connection;
    // A hub that cannot ask its engine says nothing that could stop another one.
    if (!connection?.open || fence.closed !== undefined || this.#options.isTroubled()) return;
    const payload = textOf({ epoch: this.#options.epoch(), machine: machine.id, name: machine.name, house });
    try {
      if (kept.get() !== payload) kept.set(payload);
    } catch (error) {
      log.warn("the epoch could not be saved", { error: messageOf(error) });
    }
    background(log, "epoch note", connection.publish({ topic: this.topic, payload, qos: 1, retain: true }));
  }
}

function textOf({ epoch, machine, name, house }: Note): string {
  return JSON.stringify({ epoch, machine, name, house });
}

function readNote(text: string): Note | undefined {
  const parsed = parseJson(text);
  if (!parsed.ok || !isObject(parsed.value)) return undefined;
  const { epoch, machine, house, name } = parsed.value;
  if (typeof epoch !== "number" || !Number.isSafeInteger(epoch)) return undefined;
  if (typeof machine !== "string" || typeof house !== "string") return undefined;
  return { epoch, machine, house, name: typeof name === "string" ? name : machine };
}
