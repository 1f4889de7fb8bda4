// Why a rule ran or did not: its last evaluations, newest first, live while the view is open.

import { useLocation } from "preact-iso";
import type { RuleDetails, Trace } from "../../../model/rules/rule.ts";
import { Problem } from "../../../parts/acting/problem.tsx";
import { rulePath } from "../../../state/house/rules.ts";
import { get } from "../../../state/hub/api.ts";
import { useWatched } from "../../../state/hub/watched.ts";
import { t } from "../../../texts/index.ts";
import { TraceItem } from "./rule-trace.tsx";

// An evaluation that does not run the rule has no event.
const EVERY_MS = 3000;

export function RuleWhy({ rule }: { rule: RuleDetails }) {
  const { id } = rule;
  const { query, route } = useLocation();
  const { data, error } = useWatched(`${id} traces`, () => get<Trace[]>(rulePath(id, "/traces")), {
    every: EVERY_MS,
    concerns: ({ type, rule_id }) => rule_id === id && (type === "rule_fired" || type === "action_failed"),
  });
  const onlyNot = query.only === "not_run";
  const shown = (data ?? []).filter(({ outcome }) => !onlyNot || outcome !== "fired");

  function show(only: boolean): void {
    route(`${location.pathname}?tab=why${only ? "&only=not_run" : ""}`, true);
  }

  return (
    <section class="why" aria-label={t("rules.tab.why")}>
      <label class="check">
        <input type="checkbox" checked={onlyNot} onChange={({ currentTarget }) => show(currentTarget.checked)} />
        {t("why.only_not")}
      </label>
      <Problem of={error} />
      {data?.length === 0 && <Silent rule={rule} />}
      {data && data.length > 0 && shown.length === 0 && <p>{t("why.none_not")}</p>}
      <ul class="traces">
        {shown.map((trace, at) => (
          <TraceItem key={trace.id} trace={trace} actions={rule.rule?.actions ?? []} startsOpen={at === 0} />
        ))}
      </ul>
    </section>
  );
}

/** Nothing set it off: where to look then. */
function Silent({ rule }: { rule: RuleDetails }) {
  const reason =
    rule.state === "broken" && rule.running_version === "none"
      ? "why.silent_broken"
      : rule.enabled
        ? "why.silent"
        : "why.silent_off";
  return <p>{t(reason)}</p>;
}
