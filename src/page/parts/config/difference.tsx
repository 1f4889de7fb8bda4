// What a changed text changes: the lines that go and that come, with those around them.

import { differenceOf } from "../../model/text/text-difference.ts";
import { t } from "../../texts/index.ts";

const AROUND = 2;
const SIGNS = { same: " ", removed: "−", added: "+" } as const;

export function Difference({ before, after }: { before: string; after: string }) {
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
