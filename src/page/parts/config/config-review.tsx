// What a changed hub.toml changes, shown before it is saved.

import { useState } from "preact/hooks";
import { differenceOf } from "../../model/text/text-difference.ts";
import { keepDraft, saveConfig } from "../../state/admin/hub-config.ts";
import { ApiError } from "../../state/hub/api.ts";
import { t } from "../../texts/index.ts";
import { ActButton } from "../acting/use-act.tsx";
import type { ConfigDraft } from "./use-config-draft.ts";

interface ConfigReviewProps {
  of: ConfigDraft;
  onBack: () => void;
  onSaved: () => void;
}

export function ConfigReview({ of: { file, text, checked, read }, onBack, onSaved }: ConfigReviewProps) {
  const [force, setForce] = useState(false);
  const [isConflict, setIsConflict] = useState(false);
  const problems = checked?.problems.filter(({ warning }) => !warning) ?? [];
  const isFatal = problems.some(({ confined }) => !confined);

  async function store(): Promise<void> {
    try {
      await saveConfig(text, file, force);
    } catch (error) {
      setIsConflict(error instanceof ApiError && error.status === 409);
      throw error;
    }
    keepDraft(undefined);
    await read();
    onSaved();
  }

  return (
    <section>
      <h2>{t("config.difference")}</h2>
      <Difference before={file.text} after={text} />
      {problems.length > 0 && (
        <ul class="text-problems">
          {problems.map(({ path, message }) => (
            <li key={path + message} class="wrong">
              <span class="says" dir="auto">
                <code>{path}</code> {message}
              </span>
            </li>
          ))}
        </ul>
      )}
      {isFatal && <p class="problem">{t("config.not_startable")}</p>}
      {!isFatal && problems.length > 0 && (
        <label class="choice">
          <input type="checkbox" checked={force} onChange={(event) => setForce(event.currentTarget.checked)} />
          {t("config.force", { what: problems.map(({ path }) => path).join(", ") })}
        </label>
      )}
      <div class="buttons">
        <ActButton look="main" act={store} disabled={isFatal || (problems.length > 0 && !force)}>
          {t("config.save")}
        </ActButton>
        {isConflict && <ActButton act={() => read(text)}>{t("config.compare_again")}</ActButton>}
        <button type="button" onClick={onBack}>
          {t("config.edit_on")}
        </button>
      </div>
    </section>
  );
}

const AROUND = 2;
const SIGNS = { same: " ", removed: "−", added: "+" } as const;

/** What a changed text changes: the lines that go and that come, with those around them. */
function Difference({ before, after }: { before: string; after: string }) {
  const lines = differenceOf(before, after);
  const shown = lines.map((_, index) =>
    lines.slice(Math.max(0, index - AROUND), index + AROUND + 1).some(({ kind }) => kind !== "same"),
  );
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: long lines are scrolled with the keyboard
    <section class="difference code" tabIndex={0} aria-label={t("config.difference")}>
      {lines.map(({ kind, text }, index) =>
        shown[index] ? (
          <p key={index} class={kind}>
            <span aria-hidden="true">{SIGNS[kind]} </span>
            {kind !== "same" && <span class="visually-hidden">{t(`config.${kind}`)}: </span>}
            {text}
          </p>
        ) : (
          shown[index - 1] && <p key={index}>⋯</p>
        ),
      )}
    </section>
  );
}
