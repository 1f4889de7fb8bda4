// The form of one trigger, condition or action, made from its schema.

import type { JSX } from "preact";
import { useRef, useState } from "preact/hooks";
import type { Json } from "../../../model/device/json.ts";
import type { FieldSchema, Part, Vocabulary } from "../../../model/rules/rule.ts";
import { otherThan, shownOf } from "../../../model/rules/rule-alternatives.ts";
import { type Kind, type ListProps, wordsFor } from "../../../model/rules/rule-kinds.ts";
import { Problem } from "../../../parts/acting/problem.tsx";
import { t, textFor } from "../../../texts/index.ts";
import { Branches } from "./rule-branches.tsx";
import { fieldLabel, RuleField } from "./rule-field.tsx";
import { TARGET_FIELDS, TargetPick } from "./rule-target.tsx";

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
  ...[
    "conditions",
    "actions",
    "choices",
    "then_actions",
    "else_if",
    "else_actions",
    "command",
    "rule_id",
    "available",
    "topic",
    "path",
  ],
  ...["channels", "toggle", "expression", "crosses_above", "crosses_below", "calendar", "title", "offset_minutes"],
  ...["parameters", "label", "repeat", "triggers", "timeout_secs", "name", "host"],
];
const HIDDEN: ReadonlySet<string> = new Set(["type", "enabled", "comment"]);

export function PartForm({ kind, part, vocabulary, list: PartList, onChange }: FormProps) {
  const { mine, hold } = useHeld(part);
  const now = mine();
  const [problem, setProblem] = useState<unknown>();
  const [picked, setPicked] = useState<ReadonlySet<string>>(new Set());
  const word = wordsFor(kind, vocabulary).find(({ type }) => type === now.type);
  if (!word) return <p class="hint">{t("guide.in_text")}</p>;
  const all = Object.entries(word.schema.properties ?? {});
  const isTargeted = TARGET_FIELDS.every((name) => all.some(([key]) => key === name));
  const named = all.filter(([name]) => !HIDDEN.has(name) && !(isTargeted && isTarget(name)));
  const fields = shownOf(named, now, picked).sort(([a], [b]) => place(a) - place(b));
  const isUsual = ([name]: [string, FieldSchema]): boolean =>
    USUAL.includes(name) || now[name] !== undefined || word.schema.required?.includes(name) === true;
  const rest = fields.filter((field) => !isUsual(field));

  async function change(next: Part): Promise<unknown> {
    hold(next);
    const refused = await onChange(next);
    setProblem(refused);
    if (refused !== undefined) hold(next, true);
    return refused;
  }
  /** What stands for the same is taken out. */
  function set(name: string, value: Json | undefined): Promise<unknown> {
    const { [name]: _, ...others } = mine();
    if (value === undefined) return change(others as Part);
    const { [otherThan(named, name) ?? name]: __, ...rest } = others;
    return change({ ...rest, [name]: value } as Part);
  }
  const draw = ([name, schema]: [string, FieldSchema]) => {
    const other = otherThan(named, name);
    return (
      <div class="part-field" key={name}>
        {drawField(name, schema)}
        {other !== undefined && (
          <button
            type="button"
            class="instead"
            onClick={() => setPicked(new Set([...[...picked].filter((one) => one !== name), other]))}
          >
            {t("guide.instead", { field: fieldLabel(other) })}
          </button>
        )}
      </div>
    );
  };
  function drawField(name: string, schema: FieldSchema): JSX.Element {
    const inner = innerKind(schema);
    if (inner)
      return (
        <PartList
          kind={inner}
          parts={innerParts(now[name])}
          vocabulary={vocabulary}
          heading={textFor(`inside.${name}`) ?? t(`guide.${inner}s_inside`)}
          onChange={(parts) => set(name, (schema.items ? parts : parts.at(-1)) as unknown as Json)}
        />
      );
    if (schema.items?.properties !== undefined)
      return (
        <Branches
          heading={fieldLabel(name)}
          schema={schema.items}
          value={now[name]}
          vocabulary={vocabulary}
          list={PartList}
          onChange={(value) => set(name, value)}
        />
      );
    return (
      <RuleField name={name} schema={schema} value={now[name]} part={now} onChange={(value) => void set(name, value)} />
    );
  }

  return (
    <div class="part-form">
      {isTargeted && <TargetPick part={now} mayBeAny={kind === "trigger"} onChange={(next) => void change(next)} />}
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

/** A part as it is typed here, until another is given; what was refused (`stays`) outlasts that the former is given again. */
function useHeld(part: Part): { mine: () => Part; hold: (next: Part, stays?: boolean) => void } {
  const given = JSON.stringify(part);
  const [, redraw] = useState({});
  // No state: what is changed next is changed in this, drawn or not.
  const held = useRef<{ given: string | undefined; mine: Part }>({ given, mine: part });
  if (held.current.given === undefined) held.current.given = given;
  else if (held.current.given !== given) held.current = { given, mine: part };
  return {
    mine: () => held.current.mine,
    hold(next, stays = false) {
      held.current = { given: stays ? undefined : held.current.given, mine: next };
      redraw({});
    },
  };
}

const isTarget = (name: string): boolean => (TARGET_FIELDS as readonly string[]).includes(name);

const place = (name: string): number => (USUAL.includes(name) ? USUAL.indexOf(name) : USUAL.length);

function innerKind({ $ref, items }: FieldSchema): Kind | undefined {
  const name = /^#\/\$defs\/(trigger|condition|action)$/.exec($ref ?? items?.$ref ?? "")?.[1];
  return name as Kind | undefined;
}

function innerParts(value: Json | undefined): Part[] {
  if (value === undefined) return [];
  return (Array.isArray(value) ? value : [value]) as unknown as Part[];
}
