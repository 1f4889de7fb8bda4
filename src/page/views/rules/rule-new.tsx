// A new rule: from scratch, or from something ready-made.

import { useEffect, useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { keepDraft, loadDraft } from "../../browser/draft.ts";
import { STARTS, type Start, startRule } from "../../model/rules/rule-starts.ts";
import { Problem } from "../../parts/acting/problem.tsx";
import { blueprints, readBlueprints } from "../../state/house/blueprints.ts";
import { deviceList } from "../../state/house/devices.ts";
import { post } from "../../state/hub/api.ts";
import { connection } from "../../state/hub/live.ts";
import { t } from "../../texts/index.ts";
import { toast } from "../../ui/toast.ts";
import { BlueprintList } from "./blueprints/blueprints.tsx";
import { RuleEdit } from "./edit/rule-edit.tsx";
import { loadNames } from "./words/rule-names.ts";

export function RuleNew() {
  const { query, route } = useLocation();
  const [text, setText] = useState(() => loadDraft("rule.new")?.text);
  const [problem, setProblem] = useState<unknown>();
  const all = blueprints.value;
  useEffect(() => {
    void loadNames();
    readBlueprints().catch(() => {});
  }, []);

  async function begin(start: Start): Promise<void> {
    setProblem(undefined);
    try {
      const composed = await post<{ text: string }>("/rules/compose", {
        rule: startRule(start, deviceList.peek()),
        text: "",
      });
      keepDraft("rule.new", { text: composed.text, base: "", etag: "" });
      setText(composed.text);
      route(`/rules/new?from=${start}`);
    } catch (error) {
      setProblem(error);
    }
  }

  /** Nothing is lost: the draft comes back with undo. */
  function discard(): void {
    const draft = loadDraft("rule.new");
    keepDraft("rule.new", undefined);
    setText(undefined);
    route("/rules/new", true);
    toast(t("edit.discarded"), () => {
      keepDraft("rule.new", draft);
      setText(draft?.text);
      route("/rules/new?from=draft", true);
    });
  }

  return (
    <>
      <p class="crumb">
        <a href="/rules">{t("rules.back")}</a>
      </p>
      <h1>{t("start.title")}</h1>
      {text !== undefined && query.from !== undefined ? (
        <RuleEdit
          start={text}
          onSaved={(id) => route(`/rules/${encodeURIComponent(id)}?tab=try`, true)}
          onDiscarded={discard}
        />
      ) : (
        <>
          {all.size > 0 && (
            <section aria-label={t("blueprints.first")}>
              <h2>{t("blueprints.first")}</h2>
              <p>{t("blueprints.what")}</p>
              <BlueprintList
                heading="h3"
                blueprints={[...all.values()].filter(({ problems }) => problems.length === 0)}
              />
              <h2>{t("blueprints.others")}</h2>
            </section>
          )}
          <p>{t("start.what")}</p>
          <ul class="starts">
            {text !== undefined && (
              <li>
                <a class="button" href="/rules/new?from=draft">
                  {t("start.draft")}
                </a>
              </li>
            )}
            {STARTS.map((start) => (
              <li key={start}>
                <button type="button" disabled={connection.value.state !== "live"} onClick={() => void begin(start)}>
                  {t(`start.${start}`)}
                </button>
              </li>
            ))}
          </ul>
          <Problem of={problem} />
        </>
      )}
    </>
  );
}
