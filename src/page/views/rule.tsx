// One rule: its sentence, why it ran or did not, a dry run, and its text.

import { useEffect } from "preact/hooks";
import { lazy, useLocation, useRoute } from "preact-iso";
import { Problem } from "../components/problem.tsx";
import { RenamedNote } from "../components/renamed-rules.tsx";
import { RuleState } from "../components/rule-card.tsx";
import { RuleControls, RuleSwitch } from "../components/rule-controls.tsx";
import { WhatItDoes } from "../components/rule-made.tsx";
import { loadNames, setRuleNames } from "../components/rule-names.ts";
import { RuleRemove } from "../components/rule-remove.tsx";
import { RuleRuns } from "../components/rule-runs.tsx";
import { RuleTry } from "../components/rule-try.tsx";
import { RuleWhy } from "../components/rule-why.tsx";
import { get } from "../state/api.ts";
import { readBlueprints } from "../state/blueprints.ts";
import { type ListedRule, type RuleDetails, rulePath } from "../state/rules.ts";
import { allows } from "../state/session.ts";
import { useWatched } from "../state/watched.ts";
import { t } from "../texts/index.ts";

const Edit = lazy(() => import("../components/rule-edit.tsx").then(({ RuleEdit }) => RuleEdit));
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
