// Setting up: a first rule, from one of a few that most houses have.
import { useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { STARTERS } from "../../model/rules/rule-starters.ts";
import { t } from "../../texts/index.ts";
import { StarterForm } from "./rule-starter-form.tsx";
import type { StepProps } from "./setup-step.ts";

export function RuleStep({ onChanged }: StepProps) {
  const { query } = useLocation();
  const [made, setMade] = useState<string>();
  const starter = STARTERS.find((one) => one === query.start);
  return (
    <>
      <p>{t("starter.why")}</p>
      <nav class="chips" aria-label={t("welcome.rule")}>
        {STARTERS.map((one) => (
          <a
            key={one}
            class="button"
            href={`/welcome?step=rule&start=${one}`}
            aria-current={one === starter ? "true" : undefined}
            onClick={() => setMade(undefined)}
          >
            {t(`starter.${one}`)}
          </a>
        ))}
      </nav>
      {starter && made === undefined && (
        <StarterForm
          key={starter}
          starter={starter}
          onMade={(name) => {
            setMade(name);
            onChanged();
          }}
        />
      )}
      <p role="status">{made !== undefined && t("starter.made", { name: made })}</p>
    </>
  );
}
