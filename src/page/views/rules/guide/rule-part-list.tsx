// A list of triggers, conditions or actions: added, removed, and put in order by drag or by keys.

import { useState } from "preact/hooks";
import type { Part, Vocabulary } from "../../../model/rules/rule.ts";
import { type Kind, kindLabel, type ListProps, wordsFor } from "../../../model/rules/rule-kinds.ts";
import { isolated } from "../../../model/rules/rule-text.ts";
import { Problem } from "../../../parts/acting/problem.tsx";
import { t } from "../../../texts/index.ts";
import { Icon } from "../../../ui/icon.tsx";
import { toast } from "../../../ui/toast.ts";
import { doOf } from "../words/rule-actions.ts";
import { ifOf } from "../words/rule-conditions.ts";
import { whenOf } from "../words/rule-triggers.ts";
import { PartForm } from "./rule-part.tsx";

const WORDS = { trigger: whenOf, condition: ifOf, action: doOf } as const;

export function PartList({ kind, parts, vocabulary, heading, onChange }: ListProps) {
  const [added, setAdded] = useState<Part>();
  const [problem, setProblem] = useState<unknown>();
  const [open, setOpen] = useState<number>();
  const [dragged, setDragged] = useState<number>();
  const words = wordsFor(kind, vocabulary);

  async function change(next: Part[]): Promise<boolean> {
    const refused = await onChange(next);
    setProblem(refused);
    return refused === undefined;
  }
  const replaced = (at: number, part: Part): Part[] => parts.map((one, index) => (index === at ? part : one));

  function move(from: number, to: number): void {
    const part = parts[from];
    if (part === undefined || to < 0 || to >= parts.length || from === to) return;
    const rest = parts.filter((_, index) => index !== from);
    void change([...rest.slice(0, to), part, ...rest.slice(to)]);
  }
  async function removePart(at: number): Promise<void> {
    const before = [...parts];
    if (await change(parts.filter((_, index) => index !== at))) toast(t("guide.removed"), () => void change(before));
  }

  return (
    <section class="parts" aria-label={heading}>
      <h3>{heading}</h3>
      <ol class="part-list">
        {parts.map((part, at) => (
          <li
            key={at}
            class={dragged === at ? "part dragged" : "part"}
            draggable={open !== at}
            onDragStart={(event) => {
              event.dataTransfer?.setData("text/plain", String(at));
              setDragged(at);
            }}
            onDragEnd={() => setDragged(undefined)}
            onDragOver={(event) => dragged !== undefined && event.preventDefault()}
            onDrop={(event) => {
              event.preventDefault();
              if (dragged !== undefined) move(dragged, at);
              setDragged(undefined);
            }}
          >
            <div class="part-head">
              <p class="part-words">{WORDS[kind](part) ?? kindLabel(part.type, words)}</p>
              <Order at={at} count={parts.length} onMove={move} onRemove={() => void removePart(at)} />
            </div>
            <details
              open={open === at}
              onToggle={({ currentTarget }) =>
                setOpen((now) => (currentTarget.open ? at : now === at ? undefined : now))
              }
            >
              <summary>{t("guide.change")}</summary>
              {open === at && (
                <PartForm
                  kind={kind}
                  part={part}
                  vocabulary={vocabulary}
                  list={PartList}
                  onChange={(next) => onChange(replaced(at, next))}
                />
              )}
            </details>
          </li>
        ))}
      </ol>
      <Problem of={problem} />
      {added ? (
        <Adding
          kind={kind}
          start={added}
          vocabulary={vocabulary}
          onCancel={() => setAdded(undefined)}
          onAdd={async (part) => {
            const refused = await onChange([...parts, part]);
            if (refused === undefined) setAdded(undefined);
            return refused;
          }}
        />
      ) : (
        <select
          class="part-add"
          aria-label={t(`guide.add_${kind}`)}
          value=""
          onChange={({ currentTarget }) => setAdded({ type: currentTarget.value })}
        >
          <option value="">{t(`guide.add_${kind}`)}</option>
          {words.map(({ type }) => (
            <option key={type} value={type}>
              {kindLabel(type, words)}
            </option>
          ))}
        </select>
      )}
    </section>
  );
}

interface OrderProps {
  at: number;
  count: number;
  onMove: (from: number, to: number) => void;
  onRemove: () => void;
}

function Order({ at, count, onMove, onRemove }: OrderProps) {
  const number = at + 1;
  return (
    <span class="part-order">
      {count > 1 && (
        <>
          <button
            type="button"
            aria-label={t("guide.up", { number })}
            disabled={at === 0}
            onClick={() => onMove(at, at - 1)}
          >
            <Icon name="up" />
          </button>
          <button
            type="button"
            aria-label={t("guide.down", { number })}
            disabled={at === count - 1}
            onClick={() => onMove(at, at + 1)}
          >
            <Icon name="down" />
          </button>
        </>
      )}
      <button type="button" aria-label={t("guide.remove", { number })} onClick={onRemove}>
        <Icon name="cross" />
      </button>
    </span>
  );
}

interface AddingProps {
  kind: Kind;
  start: Part;
  vocabulary: Vocabulary;
  onAdd: (part: Part) => Promise<unknown>;
  onCancel: () => void;
}

/** It is put into the rule when it is complete. */
function Adding({ kind, start, vocabulary, onAdd, onCancel }: AddingProps) {
  const [part, setPart] = useState(start);
  const [problem, setProblem] = useState<unknown>();
  return (
    <div class="part adding">
      <p class="part-words">{isolated(kindLabel(part.type, wordsFor(kind, vocabulary)))}</p>
      <PartForm
        kind={kind}
        part={part}
        vocabulary={vocabulary}
        list={PartList}
        onChange={async (next) => {
          setPart(next);
          return undefined;
        }}
      />
      <Problem of={problem} />
      <p class="part-choice">
        <button type="button" class="main" onClick={async () => setProblem(await onAdd(part))}>
          {t("guide.add")}
        </button>
        <button type="button" onClick={onCancel}>
          {t("guide.cancel")}
        </button>
      </p>
    </div>
  );
}
