// [alerts]: who is notified of problems of the hub itself, and the thresholds at which they begin.
import { type Static, Type } from "@sinclair/typebox";
import type { Problem } from "../../kit/schema/schema.ts";

export const AlertsSection = Type.Object(
  {
    channel: Type.Optional(
      Type.String({ minLength: 1, description: "A notification channel, or `all`; without one nobody is notified" }),
    ),
    disk_free_mb: Type.Integer({ default: 500, minimum: 10, description: "Less free space than this is nearly full" }),
    memory_mb: Type.Integer({
      default: 400,
      minimum: 50,
      description: "More memory than this of the hub's own process",
    }),
    backup_days: Type.Integer({
      default: 7,
      minimum: 1,
      maximum: 3650,
      description: "No backup for so long is overdue",
    }),
    certificate_days: Type.Integer({
      default: 14,
      minimum: 1,
      maximum: 365,
      description: "Left of the TLS certificate",
    }),
  },
  { additionalProperties: false, default: {} },
);
export type AlertsSection = Static<typeof AlertsSection>;

export function alertsProblems({ channel }: AlertsSection, channels: readonly string[]): Problem[] {
  if (channel === undefined || channels.includes(channel)) return [];
  const message = `there is no channel "${channel}"; name one of ${channels.join(", ")}`;
  return [{ path: "alerts.channel", message }];
}
