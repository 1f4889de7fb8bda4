// GET /health: whether the hub is up.
import { Elysia } from "elysia";
import { Health } from "../../../server/system/status.ts";
import { doc } from "../doc.ts";

export function healthRoutes({ health }: { health: () => Health }) {
  return new Elysia().get(
    "/health",
    () => health(),
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
