// Variables of the house: values by name, for people and rules.

import { useState } from "preact/hooks";
import { useAddress } from "../../browser/address.ts";
import type { Json } from "../../model/device/json.ts";
import { Problem } from "../../parts/acting/problem.tsx";
import { AskFirst, mayAct, useAct } from "../../parts/acting/use-act.tsx";
import { short } from "../../parts/devices/values.ts";
import { put, remove } from "../../state/hub/api.ts";
import { allows } from "../../state/hub/session.ts";
import { useHubData } from "../../state/hub/watched.ts";
import { t } from "../../texts/index.ts";
import { Moment } from "../../ui/moment.tsx";
import { toast } from "../../ui/toast.ts";
import { VariableForm } from "./variable-form.tsx";

interface Variable {
  name: string;
  value: Json;
  updated_at: string;
}

const AFTER = ["hub_variable_changed"] as const;
const MASK = '"•••"';
const LONGEST = 300;

const at = (name: string): string => `/variables/${encodeURIComponent(name)}`;

export function VariablesView() {
  const { value: variables, problem, read } = useHubData<Variable[]>("/variables", { after: AFTER });
  const [isNew, setNew] = useState(false);
  const query = useAddress();
  const names = new Set(variables?.map(({ name }) => name));
  async function save(name: string, value: Json): Promise<void> {
    await put(at(name), { value });
    await read();
  }
  return (
    <>
      <h1>{t("variables.title")}</h1>
      <p class="hint">{t("variables.hint")}</p>
      <Problem of={problem} />
      {isNew ? (
        <VariableForm isTaken={(name) => names.has(name)} onSave={save} onEnd={() => setNew(false)} />
      ) : (
        <p hidden={!allows("user")}>
          <button type="button" disabled={!mayAct("user")} onClick={() => setNew(true)}>
            {t("variables.new")}
          </button>
        </p>
      )}
      {variables?.length === 0 && !isNew && <p>{t("variables.empty")}</p>}
      <ul class="things">
        {variables?.map((variable) => (
          <VariableRow
            key={variable.name}
            variable={variable}
            isEdited={query.of("edit") === variable.name}
            onEdit={(isEdited) => query.change({ edit: isEdited ? variable.name : undefined }, isEdited)}
            onSave={save}
            read={read}
          />
        ))}
      </ul>
    </>
  );
}

interface VariableRowProps {
  variable: Variable;
  isEdited: boolean;
  onEdit: (isEdited: boolean) => void;
  onSave: (name: string, value: Json) => Promise<void>;
  read: () => Promise<void>;
}

function VariableRow({ variable: { name, value, updated_at }, isEdited, onEdit, onSave, read }: VariableRowProps) {
  const act = useAct();
  const text = JSON.stringify(value);
  async function drop(): Promise<void> {
    await remove(at(name));
    await read();
    // What is masked here cannot be written again.
    const undo = text.includes(MASK)
      ? undefined
      : () => void onSave(name, value).catch(() => toast(t("house.undo_failed")));
    toast(t("house.removed", { name }), undo);
  }
  return (
    <li class="thing">
      <div class="about">
        <strong dir="auto">{name}</strong>
        <p class="code values" dir="auto">
          {short(text, LONGEST)}
        </p>
        <Moment at={updated_at} />
      </div>
      <div class="buttons">
        {!isEdited && allows("user") && (
          <button
            type="button"
            disabled={!mayAct("user")}
            aria-label={`${t("variable.change")}: ${name}`}
            onClick={() => onEdit(true)}
          >
            {t("variable.change")}
          </button>
        )}
        <AskFirst
          label={t("house.remove")}
          of={name}
          question={t("house.remove_of", { name })}
          disabled={!mayAct("user") || act.busy}
          onYes={() => void act.run(drop)}
        />
      </div>
      {isEdited && allows("user") && (
        <div class="wide">
          <VariableForm name={name} value={value} onSave={onSave} onEnd={() => onEdit(false)} />
        </div>
      )}
      <Problem of={act.problem} />
    </li>
  );
}
