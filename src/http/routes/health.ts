// GET /health: whether the hub is up.
import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { Health as SystemHealth } from "../../system/status.ts";
import { doc } from "../doc.ts";

const Health = Type.Composite([Type.Object({ status: Type.Literal("ok") }), SystemHealth]);

export function healthRoutes({ health }: { health: () => SystemHealth }) {
  return new Elysia().get(
    "/health",
    () => ({ status: "ok", ...health() }),
    doc({
      access: "public",
      // Of watchdogs too, beside whoever floods from their address.
      unlimited: true,
      summary: "Health check",
      tag: "system",
      answers: { 200: { description: "The hub is up", schema: Health } },
    }),
  );
}
