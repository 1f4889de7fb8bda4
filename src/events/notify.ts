// Events about notifications that arrived late or never.
import { Type } from "@sinclair/typebox";
import { defineEvent } from "./define.ts";

const about = {
  channel: Type.String(),
  title: Type.String(),
  /** UTC time at which the notification was sent. */
  at: Type.String(),
  tries: Type.Integer(),
  /** How often the same notification was sent meanwhile, this one included. */
  count: Type.Integer(),
};

export const notificationDeliveredLate = defineEvent(
  "notification_delivered_late",
  "A notification arrived later than a minute after it was sent, or after a restart",
  { ...about, waited_secs: Type.Integer() },
);

export const notificationGivenUp = defineEvent("notification_given_up", "A notification will not be delivered", {
  ...about,
  /**
   * `expired`: it was not delivered in time. `refused`: the service refuses it. `disabled`: its channel's configuration is
   * wrong. `no_room`: it was dropped for newer ones.
   */
  reason: Type.String(),
  /** The last error. */
  error: Type.String(),
  /** The number of further notifications of this channel, given up at the same moment for the same reason. */
  more: Type.Integer(),
});
