// The form of one trigger, condition or action, made from its schema.
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { Json } from "../state/house.ts";
import type { FieldSchema, Part, Vocabulary } from "../state/rules.ts";
import { t } from "../texts/index.ts";
import { Problem } from "./problem.tsx";
import { RuleField } from "./rule-field.tsx";
import { type Kind, type ListProps, wordsFor } from "./rule-kinds.ts";

interface FormProps {
  kind: Kind;
  part: Part;
  vocabulary: Vocabulary;
  /** Draws the parts inside it. */
  list: (props: ListProps) => JSX.Element;
  /** Resolves with why it was refused, if it was: then what was typed stays here. */
  onChange: (part: Part) => Promise<unknown>;
}

/** Asked for at once; the others are behind "more". */
const USUAL: readonly string[] = [
  ...["device_id", "attribute", "to", "op", "value", "above", "below", "state", "time", "days", "event", "action"],
  ...["start", "end", "mode_id", "on", "position", "duration_secs", "channel", "message", "scene_id", "condition"],
  ...["conditions", "actions", "then_actions", "else_actions", "command", "rule_id", "available", "topic", "path"],
];
/** Either of them is enough; the form shows the first that is set, else the first. */
const ALTERNATIVES: readonly (readonly string[])[] = [
  ["device_id", "device_ids"],
  ["duration_secs", "expression"],
  ["state", "expression"],
  ["value", "expression"],
  ["condition", "conditions"],
  ["above", "crosses_above"],
  ["below", "crosses_below"],
  ["on", "toggle"],
];
const HIDDEN: ReadonlySet<string> = new Set(["type", "enabled", "comment"]);

export function PartForm({ kind, part, vocabulary, list: PartList, onChange }: FormProps) {
  const [mine, setMine] = useState(part);
  const [problem, setProblem] = useState<unknown>();
  const given = JSON.stringify(part);
  useEffect(() => setMine(part), [given]);
  const word = wordsFor(kind, vocabulary).find(({ type }) => type === mine.type);
  if (!word) return <p class="hint">{t("guide.in_text")}</p>;
  const fields = fieldsOf(word.schema, mine);
  const isUsual = ([name]: [string, FieldSchema]): boolean =>
    USUAL.includes(name) || mine[name] !== undefined || word.schema.required?.includes(name) === true;
  const rest = fields.filter((field) => !isUsual(field));

  async function set(name: string, value: Json | undefined): Promise<unknown> {
    const { [name]: _, ...others } = mine;
    const next = (value === undefined ? others : { ...others, [name]: value }) as Part;
    setMine(next);
    const refused = await onChange(next);
    setProblem(refused);
    return refused;
  }
  const draw = ([name, schema]: [string, FieldSchema]) => {
    const inner = innerKind(schema);
    return inner ? (
      <PartList
        key={name}
        kind={inner}
        parts={innerParts(mine[name])}
        vocabulary={vocabulary}
        heading={t(`guide.${inner}s_inside`)}
        onChange={(parts) => set(name, (schema.items ? parts : parts.at(-1)) as unknown as Json)}
      />
    ) : (
      <RuleField
        key={name}
        name={name}
        schema={schema}
        value={mine[name]}
        part={mine}
        onChange={(value) => void set(name, value)}
      />
    );
  };

  return (
    <div class="part-form">
      {fields.filter(isUsual).map(draw)}
      {rest.length > 0 && (
        <details class="more-fields">
          <summary>{t("guide.more")}</summary>
          {rest.map(draw)}
        </details>
      )}
      <Problem of={problem} />
    </div>
  );
}

function fieldsOf(schema: FieldSchema, part: Part): [string, FieldSchema][] {
  const all = Object.entries(schema.properties ?? {}).filter(([name]) => !HIDDEN.has(name));
  const isShown = (name: string): boolean =>
    ALTERNATIVES.every((names) => {
      if (!names.includes(name) || !names.every((one) => all.some(([key]) => key === one))) return true;
      return name === (names.find((one) => part[one] !== undefined) ?? names[0]);
    });
  return all.filter(([name]) => isShown(name)).sort(([a], [b]) => place(a) - place(b));
}

const place = (name: string): number => (USUAL.includes(name) ? USUAL.indexOf(name) : USUAL.length);

function innerKind({ $ref, items }: FieldSchema): Kind | undefined {
  const name = /^#\/\$defs\/(trigger|condition|action)$/.exec($ref ?? items?.$ref ?? "")?.[1];
  return name as Kind | undefined;
}

function innerParts(value: Json | undefined): Part[] {
  if (value === undefined) return [];
  return (Array.isArray(value) ? value : [value]) as unknown as Part[];
}
