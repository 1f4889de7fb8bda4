// /system: what the hub says of itself, and its backup.
import { Elysia } from "elysia";
import { HubError } from "../../core/errors.ts";
import { SystemStatus } from "../../system/status.ts";
import { doc } from "../doc.ts";

export function systemRoutes({ status }: { status: () => SystemStatus }) {
  const tag = "system";
  return new Elysia({ prefix: "/system" })
    .get(
      "/status",
      () => status(),
      doc({
        access: "viewer",
        summary: "Summary of the system",
        tag,
        answers: { 200: { description: "The summary", schema: SystemStatus } },
      }),
    )
    .post(
      "/backup",
      function backup(): never {
        throw new HubError("not_implemented", "this version of the hub does not make backups yet");
      },
      doc({
        access: "admin",
        summary: "Create and download a backup archive",
        tag,
        answers: { 501: { description: "Not in this version" } },
      }),
    );
}
