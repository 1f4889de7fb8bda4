// Beside the text of a rule that a blueprint makes: its name and its inputs, instead of the guided editor.
import { useEffect, useId, useState } from "preact/hooks";
import { blueprints, type InputValues } from "../state/blueprints.ts";
import type { CheckedRule, WholeRule } from "../state/rules.ts";
import { t } from "../texts/index.ts";
import { BlueprintFields, OtherProblem, problemsOf } from "./blueprint-fields.tsx";
import { titleOf, whatOf } from "./blueprint-words.ts";
import type { WriteRule } from "./rule-draft.ts";

interface GuideProps {
  written: NonNullable<CheckedRule["written"]>;
  problems: CheckedRule["problems"];
  onChange: WriteRule;
}

export function BlueprintGuide({ written, problems, onChange }: GuideProps) {
  const nameId = useId();
  const { use, inputs = {}, name = "" } = written;
  const blueprint = blueprints.value.get(use);
  // What the hub refuses is not in the text, and stays in its field.
  const [refused, setRefused] = useState<{ values: InputValues; error: unknown }>();
  const text = JSON.stringify(inputs);
  useEffect(() => setRefused(undefined), [text]);

  async function write(changes: Partial<typeof written>): Promise<void> {
    const error = await onChange({ ...written, ...changes } as unknown as WholeRule);
    setRefused(error === undefined ? undefined : { values: changes.inputs ?? inputs, error });
  }

  if (!blueprint) return <p class="hint">{t("blueprints.gone", { name: use })}</p>;
  return (
    <>
      <p class="hint">
        <a href={`/blueprints/${encodeURIComponent(use)}`}>{titleOf(blueprint)}</a>: {whatOf(blueprint)}
      </p>
      <div class="field">
        <label for={nameId}>{t("blueprints.name")}</label>
        <input
          id={nameId}
          dir="auto"
          maxLength={200}
          value={name}
          onChange={({ currentTarget: { value } }) => value !== "" && void write({ name: value })}
        />
      </div>
      <BlueprintFields
        blueprint={blueprint}
        values={refused?.values ?? inputs}
        problems={refused ? problemsOf(refused.error) : problems}
        onChange={(values) => void write({ inputs: values })}
      />
      <OtherProblem of={refused?.error} />
    </>
  );
}
