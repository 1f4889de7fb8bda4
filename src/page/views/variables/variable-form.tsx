// A variable's value as JSON, checked while it is typed.

import { useState } from "preact/hooks";
import type { Json } from "../../model/device/json.ts";
import { Problem } from "../../parts/acting/problem.tsx";
import { mayAct, useAct } from "../../parts/acting/use-act.tsx";
import { t } from "../../texts/index.ts";

interface VariableFormProps {
  /** Absent: a new one. */
  name?: string;
  value?: Json;
  isTaken?: (name: string) => boolean;
  onSave: (name: string, value: Json) => Promise<void>;
  onEnd: () => void;
}

type Parsed = { value: Json } | { problem: string };

function parsed(text: string): Parsed {
  try {
    return { value: JSON.parse(text) as Json };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : "" };
  }
}

export function VariableForm({ name: given, value: present, isTaken, onSave, onEnd }: VariableFormProps) {
  const [name, setName] = useState(given ?? "");
  const [text, setText] = useState(() => (present === undefined ? "" : JSON.stringify(present, undefined, 2)));
  const [first] = useState(text);
  const act = useAct();
  const read = parsed(text);
  const isWrong = text.trim() !== "" && "problem" in read;
  const isOther = given !== undefined && present !== undefined && JSON.stringify(present, undefined, 2) !== first;
  const taken = given === undefined && isTaken?.(name.trim()) === true;

  return (
    <form
      class="stacked-form"
      onSubmit={async (event) => {
        event.preventDefault();
        if ("value" in read && (await act.run(() => onSave(name.trim(), read.value)))) onEnd();
      }}
    >
      {given === undefined && (
        <label class="field">
          {t("house.name")}
          <input
            dir="auto"
            value={name}
            maxLength={128}
            required
            autocapitalize="none"
            onInput={({ currentTarget }) => setName(currentTarget.value)}
          />
          {taken && <span class="problem">{t("variable.taken")}</span>}
        </label>
      )}
      <label class="field">
        {t("variable.value")}
        <textarea
          class="code"
          dir="ltr"
          rows={Math.min(16, Math.max(2, text.split("\n").length))}
          spellcheck={false}
          autocapitalize="none"
          value={text}
          aria-invalid={isWrong}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
        <span class="hint">{t("variable.value_hint")}</span>
      </label>
      {isWrong && (
        <p class="problem" role="alert">
          {t("variable.not_json")} <span class="hint">{read.problem}</span>{" "}
          <button type="button" onClick={() => setText(JSON.stringify(text))}>
            {t("variable.as_text")}
          </button>
        </p>
      )}
      {isOther && <p class="look">{t("variable.changed_meanwhile", { value: JSON.stringify(present) })}</p>}
      <Problem of={act.problem} />
      <div class="buttons">
        <button
          type="submit"
          class="main"
          disabled={act.busy || !mayAct("user") || taken || name.trim() === "" || "problem" in read}
        >
          {t("house.save")}
        </button>
        <button type="button" onClick={onEnd}>
          {t("house.cancel")}
        </button>
      </div>
    </form>
  );
}
