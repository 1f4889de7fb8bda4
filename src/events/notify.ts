// Events about notifications that did not arrive at once.
import { Type } from "@sinclair/typebox";
import { defineEvent } from "./define.ts";

const about = {
  channel: Type.String(),
  title: Type.String(),
  /** UTC time of what it tells of. */
  at: Type.String(),
  tries: Type.Integer(),
  /** How often the same was to be told meanwhile, this one included. */
  count: Type.Integer(),
};

export const notificationDeliveredLate = defineEvent(
  "notification_delivered_late",
  "A notification arrived later than a minute after it was sent, or after a restart",
  { ...about, waited_secs: Type.Integer() },
  { channel: "phone", title: "Door", at: "2026-11-21T05:20:00Z", tries: 4, count: 1, waited_secs: 190 },
);

export const notificationGivenUp = defineEvent(
  "notification_given_up",
  "A notification will not be delivered",
  {
    ...about,
    /**
     * `expired`: it did not get through in time. `refused`: the service will not take it. `disabled`: its channel's
     * configuration is wrong. `no_room`: newer ones took its place.
     */
    reason: Type.String(),
    /** What was said last. */
    error: Type.String(),
    /** Further ones of this channel, given up at the same moment for the same reason. */
    more: Type.Integer(),
  },
  {
    channel: "phone",
    title: "Door",
    at: "2026-11-21T05:20:00Z",
    tries: 30,
    count: 2,
    reason: "expired",
    error: "no answer from the push service at api.pushover.net: ECONNREFUSED",
    more: 0,
  },
);
