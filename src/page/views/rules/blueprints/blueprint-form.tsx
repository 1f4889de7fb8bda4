// Makes a rule of a blueprint: its name, its inputs, and what is wrong with them while they are filled in.

import { useId, useRef, useState } from "preact/hooks";
import type { RuleDetails } from "../../../model/rules/rule.ts";
import { useAct } from "../../../parts/acting/use-act.tsx";
import { type Blueprint, blueprintPath, type InputValues } from "../../../state/house/blueprints.ts";
import { ApiError, post } from "../../../state/hub/api.ts";
import { connection } from "../../../state/hub/live.ts";
import { allows } from "../../../state/hub/session.ts";
import { useAskSoon } from "../../../state/hub/watched.ts";
import { t } from "../../../texts/index.ts";
import { BlueprintFields, OtherProblem, problemsOf } from "./blueprint-fields.tsx";
import { madeSentence, titleOf } from "./blueprint-words.ts";

const CHECK_MS = 250;

export function BlueprintForm({ blueprint, onMade }: { blueprint: Blueprint; onMade: (id: string) => void }) {
  const { locked, problem, run, forget } = useAct();
  const nameId = useId();
  const [name, setName] = useState(titleOf(blueprint));
  const [values, setValues] = useState<InputValues>({});
  const [found, setFound] = useState<unknown>();
  const isTouched = useRef(false);
  const isLive = connection.value.state === "live";
  const body = { name, inputs: values };
  const missing = blueprint.inputs.filter(({ id, required }) => required && values[id] === undefined);

  // What is not filled in yet is no mistake; what is filled in is looked at by the hub.
  const check = () => post("/rules/compose", { rule: { ...body, use: blueprint.id }, text: "" });
  useAskSoon(
    {
      ask: isTouched.current && isLive ? check : undefined,
      onAnswer: () => setFound(undefined),
      onFailure: setFound,
      afterMs: CHECK_MS,
    },
    [name, values, isLive],
  );

  function change(next: InputValues): void {
    isTouched.current = true;
    forget();
    setValues(next);
  }

  async function submit(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    await run(async () => onMade((await post<RuleDetails>(blueprintPath(blueprint.id, "/rules"), body)).id));
  }

  const shown = problemsOf(problem ?? found).filter(
    ({ path }) => problem !== undefined || !missing.some(({ id }) => path === `inputs.${id}`),
  );
  return (
    <form class="stacked-form" onSubmit={submit} noValidate>
      <div class="field">
        <label for={nameId}>{t("blueprints.name")}</label>
        <input
          id={nameId}
          dir="auto"
          required
          maxLength={200}
          value={name}
          onInput={({ currentTarget }) => setName(currentTarget.value)}
        />
      </div>
      <BlueprintFields blueprint={blueprint} values={values} onChange={change} problems={shown} />
      <p class="sentence">{madeSentence(blueprint.id, { ...defaultsOf(blueprint), ...values })}</p>
      <OtherProblem of={problem ?? (found instanceof ApiError && found.status === 0 ? found : undefined)} />
      <p class="buttons">
        <button
          type="submit"
          class="main"
          disabled={locked || !allows("admin") || missing.length > 0 || shown.length > 0 || name.trim() === ""}
        >
          {t("blueprints.make")}
        </button>
      </p>
      {missing.length > 0 && <p class="hint">{t("blueprints.missing")}</p>}
    </form>
  );
}

function defaultsOf({ inputs }: Blueprint): InputValues {
  const given = inputs.filter((input) => input.default !== undefined && input.type === "duration");
  return Object.fromEntries(given.map((input) => [input.id, input.default ?? null]));
}
