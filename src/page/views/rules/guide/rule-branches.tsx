// The branches of `choose` and of `conditional`: each with what must hold, and what is done then.

import type { JSX } from "preact";
import { useId } from "preact/hooks";
import type { Json } from "../../../model/device/json.ts";
import type { FieldSchema, Fields, Part, Vocabulary } from "../../../model/rules/rule.ts";
import type { ListProps } from "../../../model/rules/rule-kinds.ts";
import { text } from "../../../model/rules/rule-text.ts";
import { t } from "../../../texts/index.ts";
import { TypedArea, TypedInput } from "../../../ui/fields.tsx";

interface BranchesProps {
  heading: string;
  /** Of one branch. */
  schema: FieldSchema;
  value: Json | undefined;
  vocabulary: Vocabulary;
  list: (props: ListProps) => JSX.Element;
  /** Resolves with why it was refused, if it was. */
  onChange: (value: Json | undefined) => Promise<unknown>;
}

export function Branches({ heading, schema, value, vocabulary, list, onChange }: BranchesProps) {
  const branches = (Array.isArray(value) ? value : []) as unknown as Fields[];
  const doing = Object.hasOwn(schema.properties ?? {}, "then_actions") ? "then_actions" : "actions";
  const write = (next: readonly Fields[]): Promise<unknown> =>
    onChange(next.length === 0 ? undefined : (next as unknown as Json));
  return (
    <section class="parts" aria-label={heading}>
      <h3>{heading}</h3>
      {branches.map((branch, at) => (
        <Branch
          key={at}
          number={at + 1}
          branch={branch}
          doing={doing}
          isNamed={Object.hasOwn(schema.properties ?? {}, "name")}
          vocabulary={vocabulary}
          list={list}
          onChange={(next) => write(branches.map((one, place) => (place === at ? next : one)))}
          onRemove={() => void write(branches.filter((_, place) => place !== at))}
        />
      ))}
      <p class="part-choice">
        <button type="button" onClick={() => void write([...branches, { [doing]: [] }])}>
          {t("guide.add_branch")}
        </button>
      </p>
    </section>
  );
}

interface BranchProps extends Pick<BranchesProps, "vocabulary" | "list"> {
  number: number;
  branch: Fields;
  doing: "actions" | "then_actions";
  isNamed: boolean;
  onChange: (branch: Fields) => Promise<unknown>;
  onRemove: () => void;
}

function Branch({ number, branch, doing, isNamed, vocabulary, list: PartList, onChange, onRemove }: BranchProps) {
  const id = useId();
  const parts = (key: string): Part[] => (Array.isArray(branch[key]) ? branch[key] : []) as unknown as Part[];
  function withField(key: string, value: Json | undefined): Fields {
    const { [key]: _, ...others } = branch;
    return value === undefined ? others : { ...others, [key]: value };
  }
  return (
    <fieldset class="field branch">
      <legend>{t("guide.branch", { number })}</legend>
      {isNamed && (
        <div class="field">
          <label for={`${id}name`}>{t("field.name")}</label>
          <TypedInput
            id={`${id}name`}
            value={text(branch.name)}
            onTaken={(typed) => void onChange(withField("name", typed || undefined))}
          />
        </div>
      )}
      {typeof branch.condition === "string" ? (
        <div class="field">
          <label for={`${id}if`}>{t("field.condition")}</label>
          <TypedArea
            id={`${id}if`}
            rows={2}
            value={branch.condition}
            onTaken={(typed) => void onChange(withField("condition", typed || undefined))}
          />
        </div>
      ) : (
        <PartList
          kind="condition"
          parts={parts("conditions")}
          vocabulary={vocabulary}
          heading={t("guide.conditions")}
          onChange={(next) => onChange(withField("conditions", next as unknown as Json))}
        />
      )}
      <PartList
        kind="action"
        parts={parts(doing)}
        vocabulary={vocabulary}
        heading={t("guide.actions")}
        onChange={(next) => onChange(withField(doing, next as unknown as Json))}
      />
      <p class="part-choice">
        <button type="button" onClick={onRemove}>
          {t("guide.remove_branch", { number })}
        </button>
      </p>
    </fieldset>
  );
}
