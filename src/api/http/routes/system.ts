// /system/status: versions, times, sizes and counts of the hub.
import { Elysia } from "elysia";
import { SystemStatus } from "../../../server/system/status.ts";
import { doc } from "../doc.ts";

export function systemRoutes({ status }: { status: () => SystemStatus }) {
  const tag = "system";
  return new Elysia({ prefix: "/system" }).get(
    "/status",
    () => status(),
    doc({
      access: "viewer",
      summary: "Summary of the system",
      tag,
      answers: { 200: { description: "The summary", schema: SystemStatus } },
    }),
  );
}
