// Somebody else saved the rule meanwhile: what differs, and which of both it shall be.
import { useMemo } from "preact/hooks";
import { differenceOf } from "../../../model/text/text-difference.ts";
import { t } from "../../../texts/index.ts";

interface ConflictProps {
  mine: string;
  theirs: string;
  onMine: () => void;
  onTheirs: () => void;
  onMerge: () => void;
}

const SIGNS = { same: " ", removed: "−", added: "+" } as const;

export function RuleConflict({ mine, theirs, onMine, onTheirs, onMerge }: ConflictProps) {
  const lines = useMemo(() => differenceOf(theirs, mine), [mine, theirs]);
  return (
    <section class="conflict" role="alert" aria-label={t("edit.conflict")}>
      <h2>{t("edit.conflict")}</h2>
      <p>{t("edit.conflict_what")}</p>
      <pre class="difference">
        {lines.map(({ kind, text }, at) => (
          <span key={at} class={kind}>
            <span aria-hidden="true">{SIGNS[kind]} </span>
            {kind !== "same" && <span class="visually-hidden">{t(`edit.${kind}`)}: </span>}
            {`${text}\n`}
          </span>
        ))}
      </pre>
      <p class="conflict-choice">
        <button type="button" class="main" onClick={onMerge}>
          {t("edit.merge")}
        </button>
        <button type="button" onClick={onMine}>
          {t("edit.keep_mine")}
        </button>
        <button type="button" onClick={onTheirs}>
          {t("edit.take_theirs")}
        </button>
      </p>
    </section>
  );
}
