// Wires what gives attributes other names.

import { AttributeRenames } from "../../house/state/attribute-renames.ts";
import type { PublicOf } from "../../kit/lifecycle/public-of.ts";
import { wildcard } from "../../kit/text/wildcard.ts";
import type { Rules } from "../../rules/rules.ts";
import type { PlannedRule } from "../../rules/store/renamed/renamed-rules.ts";
import { createMeta } from "../../server/db/meta.ts";
import type { HubOptions } from "./options.ts";
import type { Port } from "./start/port.ts";
import type { House } from "./wire-house.ts";
import type { Stores } from "./wire-stores.ts";

export function wireRenames(
  { config, platform, log }: HubOptions,
  { db }: Stores,
  { house, rules }: { house: House; rules: Port<PublicOf<Rules>> },
): AttributeRenames<PlannedRule> {
  const { history } = config;
  const named = [
    ...(["exclude", "include"] as const).map((key) => ({ key: `[history] ${key}`, patterns: history[key] })),
    ...history.export.flatMap((entry) =>
      (["attributes", "exclude_attributes"] as const).map((key) => ({
        key: `[[history.export]] ${key}`,
        patterns: entry[key],
      })),
    ),
  ];
  return new AttributeRenames({
    ...{ db, clock: platform.clock, log: log.child("state"), ...house, groups: house.virtual.groups },
    // Durable: where the disk refuses it, nothing else is begun.
    meta: createMeta({ own: db.durable, trouble: db.trouble }),
    rules: {
      plan: (renamed) => rules.get().renamed.plan(renamed),
      putAll: (planned) => rules.get().putAll(planned),
      putBack: (planned) => rules.get().putBack(planned),
    },
    patterns({ deviceId, from, to }) {
      const isOf = (pattern: string): boolean => {
        const [device, attribute = ""] = pattern.includes("/") ? pattern.split("/", 2) : ["*", pattern];
        return wildcard(device ?? "").test(deviceId) && wildcard(attribute).test(from) && !wildcard(attribute).test(to);
      };
      const people = config.people.filter(({ home }) => home === `device:${deviceId}.${from}`);
      return [
        ...named.flatMap(({ key, patterns }) => patterns.filter(isOf).map((pattern) => `${key}: "${pattern}"`)),
        ...people.map(({ name, home }) => `[[people]] home of ${name}: "${home}"`),
      ];
    },
  });
}
