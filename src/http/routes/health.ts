// GET /health: whether the hub is up.
import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import type { SystemStatus } from "../../system/status.ts";
import { doc } from "../doc.ts";

const Health = Type.Object({ status: Type.Literal("ok"), version: Type.String(), uptime_secs: Type.Integer() });

export function healthRoutes({ status }: { status: () => Pick<SystemStatus, "version" | "uptime_secs"> }) {
  return new Elysia().get(
    "/health",
    function health() {
      const { version, uptime_secs } = status();
      return { status: "ok", version, uptime_secs };
    },
    doc({
      access: "public",
      summary: "Health check",
      tag: "system",
      answers: { 200: { description: "The hub is up", schema: Health } },
    }),
  );
}
