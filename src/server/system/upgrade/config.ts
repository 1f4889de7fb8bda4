// [upgrade]: how another version of the hub is tried before it stays.
import { type Static, Type } from "@sinclair/typebox";

export const UpgradeSection = Type.Object(
  {
    watch_secs: Type.Integer({
      minimum: 1,
      maximum: 3600,
      default: 60,
      description:
        "How long another version has to stay well, once it is up, before it stays. If it does not, the former one comes back with its databases",
    }),
  },
  { additionalProperties: false, default: {} },
);
export type UpgradeSection = Static<typeof UpgradeSection>;
