// [log]: how much the hub says.
import { type Static, Type } from "@sinclair/typebox";

export const LogSection = Type.Object(
  {
    level: Type.Union([Type.Literal("debug"), Type.Literal("info"), Type.Literal("warning"), Type.Literal("error")], {
      default: "info",
    }),
  },
  { additionalProperties: false },
);
export type LogSection = Static<typeof LogSection>;
