// [pictures]: what is kept of what cameras show, and where the hub may fetch it.
import { type Static, Type } from "@sinclair/typebox";

export const PicturesSection = Type.Object(
  {
    keep: Type.Integer({
      default: 10,
      minimum: 0,
      maximum: 1000,
      description: "The last ones of each camera, and of each kind of object it distinguishes, on disk; 0: none",
    }),
    max_mb: Type.Number({
      default: 100,
      minimum: 1,
      maximum: 1_000_000,
      description: "Of all cameras together, on disk: the oldest go",
    }),
    addresses: Type.Union([Type.Literal("house"), Type.Literal("internet"), Type.Literal("off")], {
      default: "house",
      expected: '"house", "internet" or "off"',
      description:
        "Where an address that a device announces for its picture may lead: anywhere but to this machine, to public addresses over https only, or nowhere",
    }),
  },
  { additionalProperties: false, default: {} },
);
export type PicturesSection = Static<typeof PicturesSection>;
