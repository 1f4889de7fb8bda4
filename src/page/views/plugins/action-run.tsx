// An action of a plugin that takes longer: what it reports, what it asks, and its end.

import { useState } from "preact/hooks";
import type { FormSchema } from "../../model/config/form-schema.ts";
import type { Json } from "../../model/device/json.ts";
import { Problem } from "../../parts/acting/problem.tsx";
import { ActButton, mayAct, useAct } from "../../parts/acting/use-act.tsx";
import {
  type ActionRun,
  isUnderWay,
  type PluginActionInfo,
  pluginPath,
  type Report,
} from "../../state/house/plugins.ts";
import { post, remove } from "../../state/hub/api.ts";
import { t, textFor } from "../../texts/index.ts";
import { defaultsOf, type FormValue, SchemaFields } from "../../ui/schema-form/schema-form.tsx";

interface ActionRunProps {
  of: ActionRun;
  plugin: string;
  info: PluginActionInfo;
}

export function ActionRunView({ of: run, plugin, info }: ActionRunProps) {
  const role = info.requires_role ?? "admin";
  const path = `${pluginPath(plugin)}/requests/${encodeURIComponent(run.request)}`;
  const goesOn = isUnderWay(run);
  const last = run.reports.at(-1);
  const percent = goesOn ? percentOf(run.reports) : undefined;
  return (
    <section class="run" aria-label={info.label || info.id}>
      {goesOn && <progress aria-label={info.label || info.id} value={percent} max={100} />}
      <ol class="reports" aria-live="polite">
        {run.reports.length === 0 && <li>{t("plugins.begun")}</li>}
        {run.reports.map((report) => (
          <li key={report.seq} class={report.stage}>
            <strong>{textFor(`plugins.stage_${report.stage}`) ?? report.stage}</strong>{" "}
            <span dir="auto">{report.error ?? dataInWords(report.data ?? null)}</span>
          </li>
        ))}
      </ol>
      {last?.stage === "awaiting_user" && <Question key={last.seq} of={last} path={path} />}
      {goesOn && info.cancelable && (
        <ActButton may={role} act={() => remove(path)}>
          {t("plugins.cancel")}
        </ActButton>
      )}
    </section>
  );
}

/** Answered with text, or, where the plugin says what it wants, with a form. */
function Question({ of: { data }, path }: { of: Report; path: string }) {
  const [text, setText] = useState("");
  const schema = schemaIn(data);
  const [value, setValue] = useState<FormValue>(() => defaultsOf(schema ?? {}));
  const { busy, problem, run } = useAct();
  return (
    <form
      class="stacked-form"
      onSubmit={(event) => {
        event.preventDefault();
        void run(() => post(path, { response: schema ? value : text }));
      }}
    >
      {schema ? (
        <SchemaFields schema={schema} value={value} onChange={setValue} />
      ) : (
        <label class="field">
          <span>{t("plugins.answer")}</span>
          <input value={text} autocomplete="off" onInput={(event) => setText(event.currentTarget.value)} />
          <span class="hint">{t("plugins.answer_hint")}</span>
        </label>
      )}
      <Problem of={problem} />
      <div class="buttons">
        <button type="submit" class="main" disabled={busy || !mayAct("viewer")}>
          {t("plugins.send_answer")}
        </button>
      </div>
    </form>
  );
}

function schemaIn(data: Json | undefined): FormSchema | undefined {
  if (typeof data !== "object" || data === null || Array.isArray(data)) return undefined;
  const found = [data.response_schema, data.schema].find((one) => typeof one === "object" && one !== null);
  const schema = found as FormSchema | undefined;
  return schema?.properties ? schema : undefined;
}

/** The newest of the reports that has a number. */
function percentOf(reports: readonly Report[]): number | undefined {
  for (const { data } of reports.toReversed()) {
    if (typeof data !== "object" || data === null || Array.isArray(data)) continue;
    const found = [data.pct, data.percent].find((one) => typeof one === "number");
    if (typeof found === "number" && Number.isFinite(found)) return Math.min(100, Math.max(0, found));
  }
  return undefined;
}

/** What a plugin sent, for people: its message, or all of it. */
export function dataInWords(data: Json): string {
  if (data === null) return "";
  if (typeof data !== "object") return String(data);
  if (Array.isArray(data)) return JSON.stringify(data);
  // The bar shows how far it is, and a picture what is to be scanned.
  const { message, pct: _, percent: __, qr_text: ___, ...more } = data;
  const rest = Object.entries(more).map(
    ([name, value]) => `${name}: ${typeof value === "object" ? JSON.stringify(value) : value}`,
  );
  return [typeof message === "string" ? message : "", ...rest].filter(Boolean).join(" · ");
}
