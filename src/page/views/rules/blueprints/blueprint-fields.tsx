// The inputs of a blueprint as a form, each with what is wrong with it.

import { useId, useState } from "preact/hooks";
import type { Json } from "../../../model/device/json.ts";
import { Problem } from "../../../parts/acting/problem.tsx";
import type { Blueprint, BlueprintInput, InputValues } from "../../../state/house/blueprints.ts";
import { ApiError } from "../../../state/hub/api.ts";
import { t } from "../../../texts/index.ts";
import { BlueprintField } from "./blueprint-input.tsx";
import { inputHint, inputName } from "./blueprint-words.ts";

interface FieldsProps {
  blueprint: Blueprint;
  /** What the rule gives; of the others the default is shown. */
  values: InputValues;
  onChange: (values: InputValues) => void;
  /** By the path of an input: `inputs.lamp`. */
  problems: readonly { path?: string; message: string }[];
}

export function BlueprintFields({ blueprint, values, onChange, problems }: FieldsProps) {
  function set(id: string, value: Json | undefined): void {
    const { [id]: _, ...others } = values;
    onChange(value === undefined ? others : { ...others, [id]: value });
  }
  return (
    <div class="guide">
      {blueprint.inputs.map((input) => (
        <Field
          key={input.id}
          blueprint={blueprint}
          input={input}
          value={values[input.id]}
          onChange={(value) => set(input.id, value)}
          problem={problems.find(({ path = "" }) => isAt(path, input.id))?.message}
        />
      ))}
    </div>
  );
}

const isAt = (path: string, id: string): boolean => new RegExp(`^inputs\\.${id}($|[.[])`).test(path);

interface FieldProps {
  blueprint: Blueprint;
  input: BlueprintInput;
  value: Json | undefined;
  onChange: (value: Json | undefined) => void;
  problem: string | undefined;
}

function Field({ blueprint, input, value, onChange, problem }: FieldProps) {
  const id = useId();
  // Whoever empties a field wants to write something else: its default comes back when they leave it.
  const [isEmptied, setEmptied] = useState(false);
  const shown = value ?? (isEmptied ? undefined : input.default);
  function change(next: Json | undefined): void {
    setEmptied(next === undefined);
    onChange(next);
  }
  const name = inputName(blueprint, input);
  const label = input.required || input.default !== undefined ? name : t("blueprints.optional", { name });
  const hint = inputHint(blueprint, input);
  const isGroup = input.type === "devices" || input.type === "weekdays";
  const field = <BlueprintField input={input} id={id} label={label} value={shown} onChange={change} />;
  return (
    <div class="field" onFocusOut={() => setEmptied(false)}>
      {input.type === "boolean" ? (
        <label class="check">
          <input
            type="checkbox"
            checked={shown === true}
            onChange={({ currentTarget }) => change(currentTarget.checked)}
          />
          {name}
        </label>
      ) : isGroup ? (
        field
      ) : (
        <>
          <label for={id}>{label}</label>
          {field}
        </>
      )}
      {hint !== "" && (
        <span class="hint" dir="auto">
          {hint}
        </span>
      )}
      {problem !== undefined && (
        <p class="problem" role="alert" dir="auto">
          {problem}
        </p>
      )}
    </div>
  );
}

/** What a refusal says of no input: of the name, or of the hub. */
export function OtherProblem({ of: error }: { of: unknown }) {
  const isOfInputs =
    error instanceof ApiError &&
    error.problems.length > 0 &&
    error.problems.every(({ path = "" }) => path.startsWith("inputs."));
  return isOfInputs ? null : <Problem of={error} />;
}

export const problemsOf = (error: unknown): readonly { path?: string; message: string }[] =>
  error instanceof ApiError ? error.problems : [];
