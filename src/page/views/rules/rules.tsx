// All rules: what each does in a sentence, whether it runs, and what was wrong with it last.

import { useEffect, useMemo } from "preact/hooks";
import { useLocation } from "preact-iso";
import type { ListedRule } from "../../model/rules/rule.ts";
import { Problem } from "../../parts/acting/problem.tsx";
import { readBlueprints } from "../../state/house/blueprints.ts";
import { get } from "../../state/hub/api.ts";
import { allows } from "../../state/hub/session.ts";
import { useWatched } from "../../state/hub/watched.ts";
import { t } from "../../texts/index.ts";
import { HelpLink } from "../../ui/help-link.tsx";
import { RenamedRules } from "./renamed-rules.tsx";
import { RuleCard } from "./rule-card.tsx";
import { whatItDoes } from "./rule-made.tsx";
import { loadNames, setRuleNames } from "./words/rule-names.ts";

const EVERY_MS = 15_000;
const STATES = ["enabled", "disabled", "paused", "broken"] as const;

export function Rules() {
  const { query, route } = useLocation();
  const { data, error, reload } = useWatched("rules", () => get<ListedRule[]>("/rules?with=rule"), {
    every: EVERY_MS,
    concerns: ({ type }) => type.startsWith("rule_") || type === "action_failed",
  });
  useEffect(() => {
    void loadNames();
    readBlueprints().catch(() => {});
  }, []);
  useEffect(() => data && setRuleNames(data), [data]);
  const { q = "", tag = "", state = "" } = query;
  const shown = useMemo(() => matching(data ?? [], { q, tag, state }), [data, q, tag, state]);
  const tags = [...new Set((data ?? []).flatMap((rule) => rule.tags))].sort((a, b) => a.localeCompare(b));

  function narrow(next: Partial<Filter>): void {
    const all = { q, tag, state, ...next };
    const search = new URLSearchParams(Object.entries(all).filter(([, value]) => value !== ""));
    route(search.size === 0 ? "/rules" : `/rules?${search}`, true);
  }

  return (
    <>
      <div class="rules-head">
        <h1>{t("nav.rules")}</h1>
        {allows("admin") && (
          <p class="buttons">
            <HelpLink to="rules" about={t("nav.rules")} />
            <a class="button" href="/blueprints">
              {t("blueprints.title")}
            </a>
            <a class="button main" href="/rules/new">
              {t("rules.new")}
            </a>
          </p>
        )}
      </div>
      <RenamedRules onChanged={reload} />
      <search class="rules-filter">
        <input
          type="search"
          value={q}
          placeholder={t("rules.search")}
          aria-label={t("rules.search")}
          onInput={({ currentTarget }) => narrow({ q: currentTarget.value })}
        />
        <select
          aria-label={t("rules.state")}
          value={state}
          onChange={({ currentTarget }) => narrow({ state: currentTarget.value })}
        >
          <option value="">{t("rules.any_state")}</option>
          {STATES.map((one) => (
            <option key={one} value={one}>
              {t(`rules.state.${one}`)}
            </option>
          ))}
        </select>
        {tags.length > 0 && (
          <select
            aria-label={t("rules.tag")}
            value={tag}
            onChange={({ currentTarget }) => narrow({ tag: currentTarget.value })}
          >
            <option value="">{t("rules.any_tag")}</option>
            {tags.map((one) => (
              <option key={one} value={one}>
                {one}
              </option>
            ))}
          </select>
        )}
      </search>
      {(q || tag || state) && data && (
        <p class="rules-narrowed" role="status">
          {t("rules.shown", { count: shown.length, all: data.length })}{" "}
          <button type="button" onClick={() => narrow({ q: "", tag: "", state: "" })}>
            {t("rules.show_all")}
          </button>
        </p>
      )}
      <Problem of={error} />
      {data?.length === 0 && <p>{t("rules.none")}</p>}
      <ul class="rules-list">
        {shown.map((rule) => (
          <RuleCard key={rule.file} rule={rule} onChanged={reload} onTag={(one) => narrow({ tag: one })} />
        ))}
      </ul>
    </>
  );
}

interface Filter {
  q: string;
  tag: string;
  state: string;
}

/** Broken ones first: they want somebody. */
function matching(rules: readonly ListedRule[], { q, tag, state }: Filter): ListedRule[] {
  const words = q.toLocaleLowerCase().split(/\s+/).filter(Boolean);
  return rules
    .filter((rule) => (tag === "" || rule.tags.includes(tag)) && (state === "" || rule.state === state))
    .filter((rule) => {
      const sentence = whatItDoes(rule) ?? "";
      const text = [rule.name, rule.file, ...rule.tags, sentence].join(" ").toLocaleLowerCase();
      return words.every((word) => text.includes(word));
    })
    .sort((a, b) => Number(b.state === "broken") - Number(a.state === "broken") || a.name.localeCompare(b.name));
}
