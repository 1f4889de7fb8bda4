// The guided editor: what sets a rule off, what must hold and what it does, each picked from what the hub knows.

import { useState } from "preact/hooks";
import type { Json } from "../../../model/device/json.ts";
import type { Part, Vocabulary, WholeRule } from "../../../model/rules/rule.ts";
import { Problem } from "../../../parts/acting/problem.tsx";
import { t } from "../../../texts/index.ts";
import { HelpLink } from "../../../ui/help-link.tsx";
import type { WriteRule } from "../edit/rule-draft.ts";
import { InRule, namesIn } from "./rule-context.ts";
import { RuleField } from "./rule-field.tsx";
import { PartList } from "./rule-part-list.tsx";

interface GuideProps {
  rule: WholeRule;
  vocabulary: Vocabulary;
  onChange: WriteRule;
}

const SECTIONS = [
  ["triggers", "trigger"],
  ["conditions", "condition"],
  ["actions", "action"],
] as const;
/** Of the rule itself; the others are for its text. */
const FIELDS = [
  ...["description", "tags", "priority", "cooldown_secs", "run_mode", "max_queued", "trigger_condition"],
  ...["required_expression", "cancel_on_false", "durable", "catch_up_secs"],
] as const;

export function RuleGuide({ rule, vocabulary, onChange }: GuideProps) {
  const set = (key: string, value: Json | undefined): Promise<unknown> => {
    const { [key]: _, ...rest } = rule;
    return onChange((value === undefined ? rest : { ...rest, [key]: value }) as WholeRule);
  };
  const [problem, setProblem] = useState<unknown>();
  return (
    <InRule.Provider value={namesIn(rule)}>
      <div class="guide">
        <RuleField
          name="name"
          schema={{ type: "string" }}
          value={rule.name}
          part={{ type: "rule" }}
          onChange={(name) => void set("name", name).then(setProblem)}
        />
        <Problem of={problem} />
        {SECTIONS.map(([key, kind]) => (
          <PartList
            key={key}
            kind={kind}
            parts={rule[key] as Part[]}
            vocabulary={vocabulary}
            heading={t(`guide.${key}`)}
            onChange={(parts) => set(key, parts as unknown as Json)}
          />
        ))}
        <details class="more-fields">
          <summary>{t("guide.more")}</summary>
          <p class="buttons">
            <HelpLink to="rules/fields" about={t("guide.more")} />
          </p>
          {FIELDS.map((key) => (
            <RuleField
              key={key}
              name={key}
              schema={vocabulary.rule.properties?.[key] ?? {}}
              value={rule[key] as Json}
              part={{ type: "rule" }}
              onChange={(value) => void set(key, value).then(setProblem)}
            />
          ))}
        </details>
      </div>
    </InRule.Provider>
  );
}
