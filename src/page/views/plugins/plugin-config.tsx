// A plugin's configuration: a form where it says what there is, else JSON. The plugin itself reads and writes it.

import { useId, useState } from "preact/hooks";
import type { FormSchema } from "../../model/config/form-schema.ts";
import { Problem } from "../../parts/acting/problem.tsx";
import { ActButton, mayAct, useAct } from "../../parts/acting/use-act.tsx";
import { type Plugin, pluginPath } from "../../state/house/plugins.ts";
import { get, put } from "../../state/hub/api.ts";
import { t } from "../../texts/index.ts";
import { type FormValue, SchemaFields } from "../../ui/schema-form/schema-form.tsx";
import { JsonInput } from "../../ui/schema-form/schema-input.tsx";
import { toast } from "../../ui/toast.ts";

interface PluginConfigProps {
  of: Plugin;
  schema: FormSchema | undefined;
}

export function PluginConfig({ of: { id, status }, schema }: PluginConfigProps) {
  const [given, setGiven] = useState<FormValue>();
  const path = `${pluginPath(id)}/config`;
  const isAway = status === "offline" || status === "stopped";
  return (
    <section>
      <h2>{t("plugins.config")}</h2>
      {isAway && <p class="hint">{t("plugins.config_away")}</p>}
      {given ? (
        <ConfigForm path={path} given={given} schema={schema} onDone={() => setGiven(undefined)} />
      ) : (
        <ActButton disabled={isAway} act={async () => setGiven(await get<FormValue>(path))}>
          {t("plugins.config_open")}
        </ActButton>
      )}
    </section>
  );
}

interface ConfigFormProps {
  path: string;
  given: FormValue;
  schema: FormSchema | undefined;
  onDone: () => void;
}

function ConfigForm({ path, given, schema, onDone }: ConfigFormProps) {
  const [value, setValue] = useState(given);
  const { busy, problem, run } = useAct();
  const id = useId();
  return (
    <form
      class="stacked-form"
      onSubmit={(event) => {
        event.preventDefault();
        void run(() => put(path, value)).then((done) => {
          if (!done) return;
          toast(t("plugins.config_saved"));
          onDone();
        });
      }}
    >
      {schema?.properties ? (
        <SchemaFields schema={schema} value={value} onChange={setValue} />
      ) : (
        <div class="field">
          <label for={id}>{t("plugins.config_json")}</label>
          <JsonInput id={id} value={given} rows={12} onChange={(next) => setValue((next ?? {}) as FormValue)} />
        </div>
      )}
      <p class="hint">{t("plugins.config_secrets")}</p>
      <Problem of={problem} />
      <div class="buttons">
        <button type="submit" class="main" disabled={busy || !mayAct("admin")}>
          {t("plugins.config_save")}
        </button>
        <button type="button" onClick={onDone}>
          {t("plugins.config_close")}
        </button>
      </div>
    </form>
  );
}
