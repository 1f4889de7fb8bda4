// Events about notifications that did not arrive at once.
import { Type } from "@sinclair/typebox";
import { defineEvent } from "./define.ts";

const about = {
  channel: Type.String(),
  title: Type.String(),
  /** UTC time of what it reports. */
  at: Type.String(),
  tries: Type.Integer(),
  /** How often the same was to be reported meanwhile, this one included. */
  count: Type.Integer(),
};

export const notificationQueued = defineEvent(
  "notification_queued",
  "A channel does not take a notification for now: it waits and is tried again, as all that follow. Once for each outage",
  {
    ...about,
    /** Why. */
    error: Type.String(),
  },
  {
    ...{ channel: "phone", title: "Door", at: "2026-11-21T05:20:00Z", tries: 1, count: 1 },
    error: "no answer from the push service at api.pushover.net: ECONNREFUSED",
  },
);

export const notificationDeliveredLate = defineEvent(
  "notification_delivered_late",
  "A notification arrived later than a minute after it was sent, or after a restart",
  {
    ...about,
    waited_secs: Type.Integer(),
    /** Further ones of this channel that arrived late meanwhile: of many, only the first are reported one by one. */
    more: Type.Integer(),
  },
  { channel: "phone", title: "Door", at: "2026-11-21T05:20:00Z", tries: 4, count: 1, waited_secs: 190, more: 0 },
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
    /** Further ones of this channel that were given up meanwhile for the same reason. */
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

export const notificationRecipientRefused = defineEvent(
  "notification_recipient_refused",
  "One recipient of a notification was refused for good; others may have it",
  {
    ...about,
    /** The address. */
    recipient: Type.String(),
    /** What was said. */
    error: Type.String(),
  },
  {
    channel: "mail",
    title: "Door",
    at: "2026-11-21T05:20:00Z",
    tries: 1,
    count: 1,
    recipient: "ben@home.example",
    error: "550 5.1.1 no such user",
  },
);

const notice = {
  /** Of the notice: the same in `POST /notify/acknowledge/:id`. */
  id: Type.String(),
  /** As the rule gave it; empty without one. */
  tag: Type.String(),
  title: Type.String(),
  /** UTC time. */
  at: Type.String(),
};

export const notificationAcknowledged = defineEvent(
  "notification_acknowledged",
  "Somebody confirmed a notification, or answered with one of its other buttons",
  {
    ...notice,
    /** `acknowledge`, or the id of another action. */
    action: Type.String(),
    /** Who, as the service or the hub calls them. */
    by: Type.String(),
    /** Through which channel; `api` for the page and the API. */
    channel: Type.String(),
  },
  {
    id: "5f0c1f8e-0000-4000-8000-000000000001",
    tag: "leak",
    title: "Leak",
    at: "2026-11-21T03:07:10Z",
    action: "acknowledge",
    by: "Anna",
    channel: "anna",
  },
);

export const notificationUnanswered = defineEvent(
  "notification_unanswered",
  "Everybody whom a notification was to reach one after the other was asked, and nobody has answered",
  {
    ...notice,
    /** How many were asked one after the other. */
    asked: Type.Integer(),
  },
  {
    id: "5f0c1f8e-0000-4000-8000-000000000001",
    tag: "leak",
    title: "Leak",
    at: "2026-11-21T03:10:00Z",
    asked: 2,
  },
);
