// One rule: its sentence, why it ran or did not, a dry run, and its text.

import { useEffect } from "preact/hooks";
import { lazy, useLocation, useRoute } from "preact-iso";
import type { ListedRule, RuleDetails } from "../../model/rules/rule.ts";
import { Problem } from "../../parts/acting/problem.tsx";
import { readBlueprints } from "../../state/house/blueprints.ts";
import { rulePath } from "../../state/house/rules.ts";
import { get } from "../../state/hub/api.ts";
import { allows } from "../../state/hub/session.ts";
import { useWatched } from "../../state/hub/watched.ts";
import { t } from "../../texts/index.ts";
import { RenamedNote } from "./renamed-rules.tsx";
import { RuleState } from "./rule-card.tsx";
import { RuleControls, RuleSwitch } from "./rule-controls.tsx";
import { WhatItDoes } from "./rule-made.tsx";
import { RuleRemove } from "./rule-remove.tsx";
import { RuleRuns } from "./rule-runs.tsx";
import { RuleTry } from "./try/rule-try.tsx";
import { RuleWhy } from "./try/rule-why.tsx";
import { loadNames, setRuleNames } from "./words/rule-names.ts";

const Edit = lazy(() => import("./edit/rule-edit.tsx").then(({ RuleEdit }) => RuleEdit));
const EVERY_MS = 15_000;
const TABS = ["why", "try", "edit"] as const;
type Tab = (typeof TABS)[number];

export function RuleView() {
  const { params } = useRoute();
  const { query, route } = useLocation();
  const id = params.id ?? "";
  const { data, error, reload } = useWatched(id, () => get<RuleDetails>(rulePath(id)), {
    every: EVERY_MS,
    concerns: ({ type, rule_id }) => rule_id === id && (type.startsWith("rule_") || type === "action_failed"),
  });
  useEffect(() => {
    void loadNames();
    readBlueprints().catch(() => {});
    get<ListedRule[]>("/rules").then(setRuleNames, () => {});
  }, []);
  /** A broken file is listed by its name until its text says which rule it is. */
  function saved(as: string): void {
    if (as === id) void reload();
    else route(`/rules/${encodeURIComponent(as)}?tab=edit`, true);
  }
  const tabs = TABS.filter((tab) => tab === "why" || (tab === "try" ? allows("user") : allows("admin")));
  const tab: Tab = tabs.find((one) => one === query.tab) ?? "why";

  return (
    <>
      <p class="crumb">
        <a href="/rules">{t("rules.back")}</a>
      </p>
      <Problem of={error} />
      {data && (
        <>
          <div class="rule-head">
            <h1 dir="auto">{data.name}</h1>
            <RuleSwitch rule={data} onChanged={reload} />
          </div>
          {tab !== "edit" && <WhatItDoes rule={data} />}
          {data.rule?.description && (
            <p class="hint" dir="auto">
              {data.rule.description}
            </p>
          )}
          <RuleState rule={data} />
          <RenamedNote id={data.id} onChanged={reload} />
          <RuleControls rule={data} onChanged={reload} />
          <RuleRuns rule={data} onChanged={reload} />
          <nav class="tabs" aria-label={t("rules.parts")}>
            {tabs.map((one) => (
              <a key={one} href={`${location.pathname}?tab=${one}`} aria-current={one === tab ? "page" : undefined}>
                {t(`rules.tab.${one}`)}
              </a>
            ))}
          </nav>
          {tab === "why" && <RuleWhy rule={data} />}
          {tab === "try" && <RuleTry rule={data} />}
          {tab === "edit" && <Edit key={id} id={id} onSaved={saved} />}
          {tab === "edit" && <RuleRemove rule={data} />}
        </>
      )}
    </>
  );
}
