// Rules about attributes that are called otherwise, or mean something else, since a newer version of the hub: which they are, their
// text with the present names, and that one is right as it is.
import { Type } from "@sinclair/typebox";
import { Elysia, t } from "elysia";
import type { Rules } from "../../../rules/rules.ts";
import { noContent } from "../crud.ts";
import { doc } from "../doc.ts";
import { detailsFor, RuleDetails, ruleRefusals } from "./rule-responses.ts";

const tag = "rules";

const RenamedInRule = Type.Object(
  {
    rule_id: Type.String(),
    rule_name: Type.String(),
    file: Type.String(),
    devices: Type.Array(
      Type.Object({
        device_id: Type.String(),
        device_name: Type.String(),
        from: Type.String({ description: "As the rule calls it" }),
        to: Type.String({ description: "What has the meaning that `from` had" }),
      }),
    ),
    can_turn: Type.Boolean(),
    why_not: Type.Union([Type.String(), Type.Null()], { description: "Why only a person can change it, and how" }),
  },
  { $id: "RenamedInRule" },
);

const TurnedText = Type.Object(
  {
    text: Type.String(),
    changes: Type.Array(Type.Object({ line: Type.Integer(), before: Type.String(), after: Type.String() })),
  },
  { $id: "TurnedText" },
);

export function renamedInRulesRoutes({ rules }: { rules: Pick<Rules, "rename" | "renamed"> }) {
  return new Elysia()
    .get(
      "/renamed-attributes",
      () =>
        rules.renamed.list().map(({ id, name, file, devices, whyNot }) => ({
          ...{ rule_id: id, rule_name: name, file },
          devices: devices.map(({ deviceId, deviceName, from, to }) => ({
            ...{ device_id: deviceId, device_name: deviceName, from, to },
          })),
          ...{ can_turn: whyNot === undefined, why_not: whyNot ?? null },
        })),
      doc({
        access: "viewer",
        summary: "Rules about attributes that have another name since a newer version of the hub",
        tag,
        answers: {
          200: { description: "The rules, until they are turned or dismissed", schema: Type.Array(RenamedInRule) },
        },
      }),
    )
    .post(
      "/:id/rename-attributes",
      function renameAttributes({ params, query, set }) {
        if (query.dry_run) {
          const { text, changes } = rules.renamed.turn(params.id);
          return { text, changes };
        }
        const info = rules.rename(params.id);
        set.headers.etag = info.etag;
        return detailsFor("admin", info);
      },
      {
        query: t.Object(
          { dry_run: t.Boolean({ default: false, description: "Only shows what would be changed" }) },
          { additionalProperties: false },
        ),
        ...doc({
          access: "admin",
          audit: { action: "rule.change", unless: "dry_run" },
          summary: "Put the present names of attributes into a rule's file",
          tag,
          answers: {
            200: {
              description: "The rule; with `dry_run` the text that it would have",
              schema: Type.Union([RuleDetails, TurnedText]),
            },
          },
          refusals: { ...ruleRefusals, conflict: "There is nothing to change in it, or only a person can" },
        }),
      },
    )
    .delete(
      "/:id/renamed-attributes",
      ({ params }) => noContent(() => rules.renamed.dismiss(params.id)),
      doc({
        access: "admin",
        audit: "rule.change",
        summary: "Say that a rule is right with the attributes that it uses",
        tag,
        answers: { 204: { description: "It is no longer listed, and fires" } },
      }),
    );
}
