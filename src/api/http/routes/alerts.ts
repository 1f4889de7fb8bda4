// GET /system/alerts: problems of the hub itself, with the times they began and ended.
import { type Static, Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { isoSeconds } from "../../../kit/time/clock.ts";
import { type Alert, AlertKind, Severity, saidBy } from "../../../server/alerts/alert.ts";
import type { Alerts } from "../../../server/alerts/alerts.ts";
import { doc } from "../doc.ts";

const AlertBody = Type.Object({
  id: Type.String(),
  kind: AlertKind,
  severity: Severity,
  message: Type.String(),
  mend: Type.String({ description: "What to do" }),
  variant: Type.Optional(Type.String({ description: "Which of several sentences of its kind the message is" })),
  values: Type.Optional(
    Type.Record(Type.String(), Type.Union([Type.String(), Type.Number()]), {
      description: "What stands in the message",
    }),
  ),
  since: Type.String({ description: "UTC" }),
  until: Type.Union([Type.String(), Type.Null()], { description: "UTC; null while it lasts" }),
});

export function alertRoutes({ alerts }: { alerts: Pick<Alerts, "list"> }) {
  return new Elysia({ prefix: "/system" }).get(
    "/alerts",
    () => alerts.list().map(bodyOf),
    doc({
      access: "viewer",
      summary: "Problems of the hub itself: those that last, then up to 100 that ended",
      tag: "system",
      answers: { 200: { description: "The alerts", schema: Type.Array(AlertBody) } },
    }),
  );
}

function bodyOf(alert: Alert): Static<typeof AlertBody> {
  const { id, kind, severity, message, mend, since, until } = alert;
  return {
    ...saidBy(alert),
    id,
    kind,
    severity,
    message,
    mend,
    since: isoSeconds(since),
    until: until === undefined ? null : isoSeconds(until),
  };
}
