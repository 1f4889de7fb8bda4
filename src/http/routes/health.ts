// GET /health: whether the hub is up.
import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import type { Health as SystemHealth } from "../../system/status.ts";
import { doc } from "../doc.ts";

const Health = Type.Object({ status: Type.Literal("ok"), version: Type.String(), uptime_secs: Type.Integer() });

export function healthRoutes({ health }: { health: () => SystemHealth }) {
  return new Elysia().get(
    "/health",
    () => ({ status: "ok", ...health() }),
    doc({
      access: "public",
      summary: "Health check",
      tag: "system",
      answers: { 200: { description: "The hub is up", schema: Health } },
    }),
  );
}
