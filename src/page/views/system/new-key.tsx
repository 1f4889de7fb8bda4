// Making an API key: for a program, with a role; or for an assistant, with what it may see and do.

import { useState } from "preact/hooks";
import { Problem } from "../../parts/acting/problem.tsx";
import { mayAct, useAct } from "../../parts/acting/use-act.tsx";
import { post } from "../../state/hub/api.ts";
import { t } from "../../texts/index.ts";
import { type AssistantRights, AssistantRightsFields, NO_RIGHTS } from "./assistant-rights.tsx";
import { RoleField } from "./role-field.tsx";

export interface MadeKey {
  label: string;
  key: string;
  scopes: string[];
}

export function NewKey({ onMade }: { onMade: (made: MadeKey) => void }) {
  const { busy, problem, run } = useAct();
  const [count, setCount] = useState(0);
  const [rights, setRights] = useState<AssistantRights>();
  return (
    <section>
      <h2>{t("keys.new")}</h2>
      <form
        key={count}
        class="stacked-form"
        onSubmit={(event) => {
          event.preventDefault();
          const fields = new FormData(event.currentTarget);
          const days = Number(fields.get("days"));
          const body = {
            label: fields.get("label"),
            ...(rights ? bodyOf(rights) : { role: fields.get("role") }),
            ...(days > 0 && { expires_in_days: days }),
          };
          void run(async () => onMade(await post<MadeKey>("/auth/api-keys", body))).then((done) => {
            if (!done) return;
            setCount(count + 1);
            setRights(undefined);
          });
        }}
      >
        <label class="field">
          {t("keys.label")}
          <input name="label" autocomplete="off" required />
        </label>
        <label class="field">
          {t("keys.opens")}
          <select
            value={rights ? "mcp" : "api"}
            onChange={({ currentTarget }) => setRights(currentTarget.value === "mcp" ? NO_RIGHTS : undefined)}
          >
            <option value="api">{t("keys.for_api")}</option>
            <option value="mcp">{t("keys.for_mcp")}</option>
          </select>
        </label>
        {rights ? <AssistantRightsFields value={rights} onChange={setRights} /> : <RoleField value="viewer" />}
        <label class="field">
          {t("keys.days")}
          <input name="days" type="number" min={1} max={3650} inputMode="numeric" />
        </label>
        <Problem of={problem} />
        <div class="buttons">
          <button type="submit" class="main" disabled={busy || !mayAct("admin")}>
            {t("keys.make")}
          </button>
        </div>
      </form>
    </section>
  );
}

function bodyOf({ wholeHouse, areas, devices, acts }: AssistantRights): Record<string, unknown> {
  return { scopes: ["mcp"], ...(!wholeHouse && { areas: [...areas] }), devices: [...devices], read_only: !acts };
}
