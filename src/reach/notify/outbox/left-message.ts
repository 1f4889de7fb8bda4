// A waiting message on its way from a hub that died to the one that took over, and what distinguishes it from all others.
import type { Json } from "../../../kit/schema/json.ts";

/** A row of the table `outbox`, with its columns' names. */
export type LeftMessage = Record<string, Json>;

/** Channel and `message_id` distinguish a waiting message from all others. */
export const messageKey = (channel: string, messageId: string): string => `${channel} ${messageId}`;
