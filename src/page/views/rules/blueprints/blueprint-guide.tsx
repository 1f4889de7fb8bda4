// Beside the text of a rule that a blueprint makes: its name and its inputs, instead of the guided editor.

import { useEffect, useId, useRef, useState } from "preact/hooks";
import type { CheckedRule, WholeRule } from "../../../model/rules/rule.ts";
import { blueprints, type InputValues } from "../../../state/house/blueprints.ts";
import { t } from "../../../texts/index.ts";
import { TypedInput } from "../../../ui/fields.tsx";
import type { WriteRule } from "../edit/rule-draft.ts";
import { BlueprintFields, OtherProblem, problemsOf } from "./blueprint-fields.tsx";
import { titleOf, whatOf } from "./blueprint-words.ts";

interface GuideProps {
  written: NonNullable<CheckedRule["written"]>;
  problems: CheckedRule["problems"];
  onChange: WriteRule;
}

const WRITE_MS = 300;

export function BlueprintGuide({ written, problems, onChange }: GuideProps) {
  const nameId = useId();
  const { use, inputs = {}, name = "" } = written;
  const blueprint = blueprints.value.get(use);
  // What is filled in here, until it is in the text; what the hub refuses never gets there.
  const [mine, setMine] = useState<InputValues>();
  const [refusal, setRefusal] = useState<unknown>();
  const latest = useRef({ written, onChange });
  latest.current = { written, onChange };
  const waiting = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const text = JSON.stringify(inputs);
  useEffect(() => {
    if (waiting.current !== undefined) return;
    setMine(undefined);
    setRefusal(undefined);
  }, [text]);
  useEffect(() => () => clearTimeout(waiting.current), []);

  async function write(changes: Partial<typeof written>): Promise<void> {
    const { written, onChange } = latest.current;
    setRefusal(await onChange({ ...written, ...changes } as unknown as WholeRule));
  }

  function fill(values: InputValues): void {
    setMine(values);
    clearTimeout(waiting.current);
    waiting.current = setTimeout(() => {
      waiting.current = undefined;
      void write({ inputs: values });
    }, WRITE_MS);
  }

  if (!blueprint) return <p class="hint">{t("blueprints.gone", { name: use })}</p>;
  return (
    <>
      <p class="hint">
        <a href={`/blueprints/${encodeURIComponent(use)}`}>{titleOf(blueprint)}</a>: {whatOf(blueprint)}
      </p>
      <div class="field">
        <label for={nameId}>{t("blueprints.name")}</label>
        <TypedInput
          id={nameId}
          dir="auto"
          maxLength={200}
          value={name}
          onTaken={(typed) => typed !== "" && void write({ name: typed })}
        />
      </div>
      <BlueprintFields
        blueprint={blueprint}
        values={mine ?? inputs}
        problems={refusal === undefined ? problems : problemsOf(refusal)}
        onChange={fill}
      />
      <OtherProblem of={refusal} />
    </>
  );
}
