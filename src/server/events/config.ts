// [events]: the ring of recent events.
import { type Static, Type } from "@sinclair/typebox";

export const EventsSection = Type.Object(
  {
    buffer: Type.Integer({
      minimum: 1,
      maximum: 100_000,
      default: 1000,
      description: "Events kept in memory for `GET /events` and for streams that resume.",
    }),
    buffer_mb: Type.Number({
      minimum: 2,
      maximum: 1024,
      default: 16,
      description: "Memory their texts may take; beyond it, fewer events are kept.",
    }),
  },
  { additionalProperties: false },
);
export type EventsSection = Static<typeof EventsSection>;
