// What every way to restore a house has: choose, look into it, see what is in it, restore it.
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { restoring } from "../../state/hub/first-minutes.ts";
import { formatTime, t } from "../../texts/index.ts";
import { Problem } from "../acting/problem.tsx";
import { type Act, useAct } from "../acting/use-act.tsx";

/** What a dry run found. */
export interface Contents {
  counts: { devices: number; rules: number; users: number; plugins: number };
  created_at: string | null;
  hub_version: string | null;
  warnings: string[];
}

export interface Restore extends Act {
  /** Undefined until it was looked into. */
  contents: Contents | undefined;
  /** Another one is chosen: what was found is of the one before. */
  chooseAnew: () => void;
  check: () => void;
  restore: () => void;
}

/** `send` with true only looks into it. */
export function useRestore(send: (isTrial: boolean) => Promise<Contents>): Restore {
  const act = useAct();
  const [contents, setContents] = useState<Contents>();
  return {
    ...act,
    contents,
    chooseAnew: () => setContents(undefined),
    check: () => void act.run(async () => setContents(await send(true))),
    restore: () =>
      void act.run(async () => {
        await send(false);
        restoring.value = Date.now();
      }),
  };
}

interface RestoreFormProps {
  of: Restore;
  why: string;
  /** What the first button does; looking into it where absent. */
  first?: { label: string; act: () => void } | undefined;
  /** Something has been chosen. */
  ready: boolean;
  /** Shown while it is under way. */
  underWay: ComponentChildren;
  children: ComponentChildren;
}

export function RestoreForm({ of, why, first, ready, underWay, children }: RestoreFormProps) {
  const { label, act } = first ?? { label: t("restore.check"), act: of.check };
  return (
    <form
      class="setup-form wide"
      onSubmit={(event) => {
        event.preventDefault();
        act();
      }}
    >
      <p>{why}</p>
      {children}
      {of.busy && underWay}
      <Problem of={of.problem} />
      {of.contents && <Found contents={of.contents} />}
      <p class="buttons">
        {of.contents ? (
          <button type="button" class="danger" disabled={of.locked} onClick={of.restore}>
            {t("restore.submit")}
          </button>
        ) : (
          <button type="submit" class="main" disabled={of.locked || !ready}>
            {label}
          </button>
        )}
      </p>
    </form>
  );
}

function Found({ contents: { counts, created_at: at, hub_version: version, warnings } }: { contents: Contents }) {
  return (
    <div class="setup-notice" role="status">
      <p>
        <strong>{t("restore.is_good")}</strong>
      </p>
      {at !== null && <p>{t("restore.made_at", { time: formatTime(at), version: version ?? "?" })}</p>}
      <p>{t("restore.counts", counts)}</p>
      {warnings.map((warning) => (
        <p key={warning} dir="auto">
          {warning}
        </p>
      ))}
      <p>{t("restore.warning")}</p>
    </div>
  );
}
