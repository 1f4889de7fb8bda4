// Several names or words in one field of a rule; a field that takes one or several gets a text where it is one.
import type { Json } from "../../../model/device/json.ts";
import { text } from "../../../model/rules/rule-text.ts";
import { t } from "../../../texts/index.ts";
import { TypedInput } from "../../../ui/fields.tsx";
import { NamePick } from "./rule-picks.tsx";

interface ListFieldProps {
  label: string;
  value: Json | undefined;
  /** Also one alone stays a list. */
  isList: boolean;
  onChange: (value: Json | undefined) => void;
}

const itemsOf = (value: Json | undefined): string[] =>
  value === undefined || value === null ? [] : [value].flat().map(text);

function asWritten(items: readonly string[], isList: boolean): Json | undefined {
  if (items.length === 0) return undefined;
  const [only = ""] = items;
  return items.length === 1 && !isList ? only : [...items];
}

/** Picked one after the other, each only once. */
export function NameList({ kind, label, value, isList, onChange }: ListFieldProps & { kind: string }) {
  const items = itemsOf(value);
  const replace = (at: number, next: string | undefined): void =>
    onChange(asWritten([...new Set(items.flatMap((one, place) => (place === at ? (next ?? []) : [one])))], isList));
  return (
    <>
      {items.map((one, at) => (
        <NamePick
          key={one}
          kind={kind}
          label={`${label} ${at + 1}`}
          value={one}
          onChange={(next) => replace(at, next)}
        />
      ))}
      <NamePick
        key={items.length}
        kind={kind}
        label={items.length === 0 ? label : `${label}: ${t("guide.another")}`}
        value=""
        empty={items.length === 0 ? undefined : t("guide.another")}
        onChange={(next) => next !== undefined && onChange(asWritten([...new Set([...items, next])], isList))}
      />
    </>
  );
}

interface ChoiceListProps extends ListFieldProps {
  choices: readonly string[];
  wordsOf: (choice: string) => string;
}

/** Ticked: for a few. What is chosen and not among them is offered as well. */
export function ChoiceList({ choices, wordsOf, value, isList, onChange }: ChoiceListProps) {
  const items = itemsOf(value);
  const all = [...new Set([...choices, ...items])];
  return (
    <span class="days">
      {all.map((choice) => (
        <label key={choice} class="check">
          <input
            type="checkbox"
            checked={items.includes(choice)}
            onChange={({ currentTarget: { checked } }) =>
              onChange(
                asWritten(
                  all.filter((one) => (one === choice ? checked : items.includes(one))),
                  isList,
                ),
              )
            }
          />
          <bdi>{wordsOf(choice)}</bdi>
        </label>
      ))}
    </span>
  );
}

/** Separated by commas. */
export function WordList({ id, value, isList, onChange }: Omit<ListFieldProps, "label"> & { id: string }) {
  return (
    <>
      <TypedInput
        id={id}
        autocomplete="off"
        value={itemsOf(value).join(", ")}
        onTaken={(typed) => {
          const words = typed.split(",").map((one) => one.trim());
          onChange(asWritten([...new Set(words.filter((one) => one !== ""))], isList));
        }}
      />
      <span class="hint">{t("guide.commas")}</span>
    </>
  );
}
