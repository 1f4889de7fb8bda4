// [history]: what is recorded, and how long it is kept.
import { type Static, Type } from "@sinclair/typebox";
import { wildcard } from "../../kit/text/wildcard.ts";

const attributePatterns = Type.Array(
  Type.String({
    pattern: "^[^/]+(/.+)?$",
    problem: 'must be "device" or "device/attribute", where * matches any text',
  }),
  { default: [], expected: "a list of devices or device/attribute patterns" },
);

export const HistorySection = Type.Object(
  {
    enabled: Type.Boolean({ default: true }),
    retention_days: Type.Integer({
      default: 30,
      minimum: 1,
      maximum: 3650,
      description: "Older samples are removed, except the last of each attribute: its value lasts beyond that time.",
    }),
    max_waiting_mb: Type.Number({
      default: 16,
      minimum: 1,
      maximum: 4096,
      description: "Memory for texts that are not in the file yet; above this the oldest are dropped.",
    }),
    max_size_mb: Type.Integer({
      default: 1024,
      minimum: 10,
      maximum: 1_000_000,
      description: "Size of the file above which the oldest samples are removed, whatever their age.",
    }),
    /** Not recorded: `device` or `device/attribute`, where `*` matches any text. */
    exclude: attributePatterns,
    /** Recorded although their devices call them settings or diagnostic (in their schema). Same patterns. */
    include: attributePatterns,
  },
  { additionalProperties: false, default: {} },
);
export type HistorySection = Static<typeof HistorySection>;

type IsAttribute = (deviceId: string, attribute: string) => boolean;

/** `isMinor`: settings of a device and how it fares, which are not recorded unless asked for. */
export function createExclude(
  { exclude, include }: Pick<HistorySection, "exclude" | "include">,
  isMinor: IsAttribute = () => false,
): IsAttribute {
  const [isExcluded, isIncluded] = [createMatch(exclude), createMatch(include)];
  return (deviceId, name) => isExcluded(deviceId, name) || (isMinor(deviceId, name) && !isIncluded(deviceId, name));
}

/** Whether one of the patterns matches the attribute. */
function createMatch(patterns: readonly string[]): IsAttribute {
  const tests = patterns.map(function testOf(pattern) {
    const slash = pattern.indexOf("/");
    const device = wildcard(slash < 0 ? pattern : pattern.slice(0, slash));
    const attribute = wildcard(slash < 0 ? "*" : pattern.slice(slash + 1));
    return { device, attribute };
  });
  return function matches(deviceId, name) {
    for (const { device, attribute } of tests) if (device.test(deviceId) && attribute.test(name)) return true;
    return false;
  };
}
