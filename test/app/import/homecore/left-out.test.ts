// What an import leaves out of keys and groups of rules is named, with what they could and what to do.
import { expect, test } from "bun:test";
import { noteApiKeys } from "../../../../src/app/import/homecore/api-keys.ts";
import { importRules } from "../../../../src/app/import/homecore/rules.ts";
import { createReport } from "../../../../src/app/import/report.ts";
import { createTemporaryFolder } from "../../../support/temporary-folder.ts";

test("each API key is named with its scopes, its end and its addresses, and with the role that does as much", () => {
  const report = createReport();
  const key = (label: string, more: object) => ({ id: "1", label, prefix: "abc", ...more });
  const keys = [
    key("wall tablet", { scopes: ["devices:read", "devices:write"], allowed_cidrs: ["10.0.0.0/8"] }),
    key("grafana", { scopes: ["devices:read"], expires_at: "2027-05-01T00:00:00Z" }),
    key("script", { scopes: ["plugins:write"] }),
    key("gone", { scopes: ["devices:read"], revoked_at: "2026-01-01T00:00:00Z" }),
    { odd: true },
  ];
  noteApiKeys(keys as never, report);
  expect(report.entries.map(({ name, outcome, note }) => [name, outcome, note])).toEqual([
    [
      'the API key "wall tablet"',
      "left",
      "it had the scopes devices:read, devices:write; the addresses 10.0.0.0/8, which keys here cannot be bound to. homeCore keeps only its fingerprint: make a new one here, with the role user",
    ],
    [
      'the API key "grafana"',
      "left",
      "it had the scopes devices:read; an end on 2027-05-01. homeCore keeps only its fingerprint: make a new one here, with the role viewer",
    ],
    [
      'the API key "script"',
      "left",
      "it had the scopes plugins:write. homeCore keeps only its fingerprint: make a new one here, with the role admin",
    ],
    ["1 more API keys", "left", "make new ones here"],
  ]);
});

test("a group of rules is named with what its tag does not do, and with its description", () => {
  using folder = createTemporaryFolder();
  const text = (id: string) => `Rule(id: "${id}", name: "A rule", trigger: SystemStarted, actions: [],)`;
  const groups = [
    { name: "Holiday", description: "Rules to pause while away", rule_ids: ["a", "gone"] },
    { name: "Empty", rule_ids: [] },
    { name: "Elsewhere", rule_ids: ["gone"] },
  ];
  const texts = [{ id: "a", name: "A rule", text: text("a"), file: "a.ron" }];
  const namedBy = () => {
    const report = createReport();
    importRules(texts as never, { folder: folder.path, groups, report });
    return report.entries
      .filter(({ kind }) => kind === "other")
      .map(({ name, outcome, note }) => [name, outcome, note]);
  };
  const holiday = (outcome: string) => [
    'the group of rules "Holiday"',
    outcome,
    "it is a tag of its rules here, which are switched on and off one by one: a mode as a condition of each does it for all; 1 of its rules are not here; its description is left out: Rules to pause while away",
  ];
  const others = [
    ['the group of rules "Empty"', "left", "it has no rules"],
    ['the group of rules "Elsewhere"', "left", "none of its rules is here"],
  ];
  expect(namedBy()).toEqual([holiday("changed"), ...others]);
  expect(namedBy()).toEqual([holiday("there"), ...others]);
});
