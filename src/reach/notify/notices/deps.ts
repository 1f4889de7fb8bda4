// What notices need of the hub.
import type { Log } from "../../../kit/lifecycle/log.ts";
import type { RandomBytes } from "../../../kit/schema/ids.ts";
import type { TemplateHouse } from "../../../kit/text/template.ts";
import type { Clock } from "../../../kit/time/clock.ts";
import type { StateDb } from "../../../server/db/state-db.ts";
import type { HubEvent } from "../../../server/events/catalog.ts";
import type { Channel, ChannelMessage, Reply, Sender } from "../channel.ts";
import type { Messenger } from "../messenger.ts";
import type { Notification } from "../render.ts";

export interface NoticesDeps {
  db: Pick<StateDb, "own" | "faults" | "trouble">;
  clock: Clock;
  log: Log;
  random: RandomBytes;
  emit: (event: HubEvent) => void;
  /** Fills in texts. */
  house: TemplateHouse;
  /** Epoch ms as local time, `2026-01-31 14:02`. */
  houseTime: (at: number) => string;
  /** After so long without an answer nobody will answer. */
  expireMs: number;
  /** Hands it over to the outbox before it returns, for each channel of the names. Resolves with the first tries. */
  enqueue: Messenger["enqueue"];
  /** The texts as the channel gets them. */
  render: (notification: Notification) => ChannelMessage;
  /** Drops the copies of a notice that were not sent yet. */
  cancelWaiting: (notice: string) => void;
  /** The channels in which copies of it wait. */
  waitingIn: (notice: string) => readonly string[];
  channels: () => readonly Channel[];
  channel: (name: string) => Channel | undefined;
  /** Whom a name stands for when they are asked one after the other: a group's people in their order; else itself. */
  expand: (name: string) => readonly string[];
  /** The channels of a name that is a channel's or `all`; undefined for people, whose channels depend on the moment. */
  plainChannels: (name: string) => readonly string[] | undefined;
  /** All channels that a name stands for, of people every one they have; none where there is no such name. */
  channelsOf: (name: string) => readonly string[];
  /** Undefined where nobody waits for the other machine of the house. Resolves when it has what was answered; with a sentence where it has not. */
  confirmed?: () => Promise<string | undefined> | undefined;
  /** What somebody wrote to a channel, if it takes commands. */
  written?: (channel: string, text: string, from: Sender) => Promise<Reply | undefined>;
}
