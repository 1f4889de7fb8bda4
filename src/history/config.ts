// [history]: what is kept, and for how long.
import { type Static, Type } from "@sinclair/typebox";

export const HistorySection = Type.Object(
  {
    enabled: Type.Boolean({ default: true }),
    /** Older samples are removed; the last one before stays, so that it is known what stood then. */
    retention_days: Type.Integer({ default: 30, minimum: 1, maximum: 3650 }),
    /** What texts may take in memory until they are in the file; beyond, the oldest are dropped. */
    max_waiting_mb: Type.Number({ default: 16, minimum: 1, maximum: 4096 }),
    /** Above this the oldest samples are removed, whatever their age. */
    max_size_mb: Type.Integer({ default: 1024, minimum: 10, maximum: 1_000_000 }),
    /** What is not recorded: `device` or `device/attribute`, where `*` stands for any text. */
    exclude: Type.Array(
      Type.String({
        pattern: "^[^/]+(/.+)?$",
        problem: 'must be "device" or "device/attribute", where * stands for any text',
      }),
      { default: [], expected: "a list of devices or device/attribute patterns" },
    ),
  },
  { additionalProperties: false, default: {} },
);
export type HistorySection = Static<typeof HistorySection>;

/** Whether one of the patterns names the attribute. */
export function createExclude(patterns: readonly string[]): (deviceId: string, attribute: string) => boolean {
  const tests = patterns.map(function testOf(pattern) {
    const slash = pattern.indexOf("/");
    const device = wildcard(slash < 0 ? pattern : pattern.slice(0, slash));
    const attribute = wildcard(slash < 0 ? "*" : pattern.slice(slash + 1));
    return { device, attribute };
  });
  return (deviceId, name) => tests.some(({ device, attribute }) => device.test(deviceId) && attribute.test(name));
}

function wildcard(pattern: string): RegExp {
  return new RegExp(`^${pattern.split("*").map(RegExp.escape).join(".*")}$`, "s");
}
