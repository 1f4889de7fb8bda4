// What a source of descriptions is, and what it hands over.
import type { Clock } from "../../kit/time/clock.ts";
import type { DescribedDevice, Message, Outgoing, Report } from "./described.ts";
import type { Engine } from "./templates/template.ts";

/** Who published a message. */
export interface Sender {
  /** Its MQTT account. */
  readonly name: string;
  mayPublish(topic: string): boolean;
}

export interface Incoming {
  sender: Sender;
  topic: string;
  payload: Uint8Array;
  retain: boolean;
  /** The payload as text and JSON, read once for all that ask. */
  message(): Message;
}

export interface SourceHost {
  clock: Clock;
  engine: Engine;
  /** Under a key of the sender's own: new, or in place of what it said before. */
  describe(sender: Sender, key: string, device: DescribedDevice): void;
  /** No longer announced. */
  withdraw(sender: Sender, key: string): void;
  /** An announcement that cannot be used; undefined where it can by now. */
  broken(sender: Sender, key: string, problem: string | undefined): void;
  /** A device did not do what it was commanded, and why; undefined where it does again. */
  refused(sender: Sender, key: string, problem: string | undefined): void;
  /** Asks a device; dropped where the sender may not publish there itself. */
  ask(sender: Sender, outgoing: Outgoing): void;
  /** What is known without a message: a value that has expired, a motion that has ended. */
  report(sender: Sender, key: string, report: Report): void;
  /** A message that came before what it belongs to was described. */
  receive(sender: Sender, key: string, incoming: Incoming): void;
  /** Whether it is described still: a person may have removed it. */
  knows(sender: Sender, key: string): boolean;
  /** Whether a device of the house is known by it, now or from before. */
  isKnown(identity: string): boolean;
  /** Whether a device that this sender has, by another source, reports on the topic. */
  isRead(sender: Sender, topic: string): boolean;
}

/** `describes`: whether this sender has devices that another source describes. */
export type CreateSource = (
  host: SourceHost,
  discovery: { describes(sender: Sender, source: string): boolean },
) => Source;

export interface Source {
  /** `zigbee2mqtt`, `homeassistant`, … */
  readonly name: string;
  /** False for what is no announcement. */
  receive(incoming: Incoming): boolean;
  /** What the hub says by itself when its broker is up: some devices announce themselves only when asked. */
  birth?(): Outgoing[];
  /** The same when the hub stops. */
  will?(): Outgoing[];
}
