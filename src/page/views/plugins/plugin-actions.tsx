// What a plugin can do: each action with a form for what it needs, its answer, and its progress where it takes longer.

import { useState } from "preact/hooks";
import type { Json } from "../../model/device/json.ts";
import { later } from "../../parts/acting/later.tsx";
import { Problem } from "../../parts/acting/problem.tsx";
import { mayAct, useAct } from "../../parts/acting/use-act.tsx";
import {
  type ActionRun,
  type Plugin,
  type PluginActionInfo,
  pluginPath,
  useActionRuns,
} from "../../state/house/plugins.ts";
import { post } from "../../state/hub/api.ts";
import { t } from "../../texts/index.ts";
import { defaultsOf, type FormValue, SchemaFields } from "../../ui/schema-form/schema-form.tsx";
import { ActionRunView, dataInWords } from "./action-run.tsx";

const QrCode = later(() => import("./qr-code.tsx").then(({ QrCode }) => QrCode));

interface PluginActionsProps {
  of: Plugin;
  actions: readonly PluginActionInfo[];
}

export function PluginActions({ of: plugin, actions }: PluginActionsProps) {
  const { runs, begun } = useActionRuns(plugin.id);
  if (actions.length === 0) return null;
  return (
    <section>
      <h2>{t("plugins.actions")}</h2>
      {actions.map((action) => (
        <Action
          key={action.id}
          of={action}
          plugin={plugin}
          run={runs.find((run) => run.action === action.id)}
          onBegun={begun}
        />
      ))}
    </section>
  );
}

interface ActionProps {
  of: PluginActionInfo;
  plugin: Plugin;
  run: ActionRun | undefined;
  onBegun: (run: ActionRun) => void;
}

interface Answer {
  request_id: string;
  status: "ok" | "error" | "accepted" | "busy";
  data: Json;
  error?: string;
}

function Action({ of: action, plugin, run, onBegun }: ActionProps) {
  const [value, setValue] = useState<FormValue>(() => defaultsOf(action.params ?? {}));
  const [answer, setAnswer] = useState<Answer>();
  const act = useAct();
  const role = action.requires_role ?? "admin";
  const title = action.label || action.id;

  async function call(): Promise<void> {
    setAnswer(undefined);
    const given = await post<Answer>(`${pluginPath(plugin.id)}/actions/${encodeURIComponent(action.id)}`, value, {
      timeoutMs: 120_000,
    });
    if (given.status === "accepted") onBegun({ request: given.request_id, action: action.id, reports: [] });
    else setAnswer(given);
  }

  return (
    <details class="action">
      <summary dir="auto">{title}</summary>
      {action.description && <p dir="auto">{action.description}</p>}
      <form
        class="stacked-form"
        onSubmit={(event) => {
          event.preventDefault();
          void act.run(call);
        }}
      >
        {action.params && <SchemaFields schema={action.params} value={value} onChange={setValue} />}
        <Problem of={act.problem} />
        <div class="buttons">
          <button type="submit" class="main" disabled={act.busy || plugin.status !== "active" || !mayAct(role)}>
            {act.busy ? t("plugins.working") : title}
          </button>
        </div>
      </form>
      {answer && <AnswerView of={answer} />}
      {run && <ActionRunView of={run} plugin={plugin.id} info={action} />}
    </details>
  );
}

function AnswerView({ of: { status, data, error } }: { of: Answer }) {
  if (status === "busy") return <p role="status">{t("plugins.busy")}</p>;
  if (status === "error")
    return (
      <p class="problem" role="alert" dir="auto">
        {error}
      </p>
    );
  const code = codeIn(data);
  return (
    <div role="status">
      <p>{t("plugins.done")}</p>
      {code !== undefined && <QrCode text={code} />}
      {data !== null && <pre class="code">{dataInWords(data)}</pre>}
    </div>
  );
}

/** What a plugin wants scanned: `qr_code` of its answer. */
function codeIn(data: Json): string | undefined {
  const isObject = typeof data === "object" && data !== null && !Array.isArray(data);
  return isObject && typeof data.qr_code === "string" ? data.qr_code : undefined;
}
