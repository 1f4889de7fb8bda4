// Removing something that cannot be brought back: asks for its name, or, where little is lost, once.
import { useId, useState } from "preact/hooks";
import { canAct } from "../../state/hub/acting.ts";
import type { Role } from "../../state/hub/session.ts";
import { t } from "../../texts/index.ts";
import { Problem } from "./problem.tsx";
import { useAct } from "./use-act.ts";

interface RemovalProps {
  name: string;
  /** What is lost. */
  loses: string;
  act: () => Promise<unknown>;
  text?: string;
  asksName?: boolean;
  may?: Role;
}

export function Removal({ name, loses, act, text = t("remove.remove"), asksName = true, may = "admin" }: RemovalProps) {
  const [asked, setAsked] = useState(false);
  const [typed, setTyped] = useState("");
  const { busy, problem, run } = useAct();
  const id = useId();
  if (!asked)
    return (
      <button type="button" aria-label={`${text}: ${name}`} disabled={!canAct(may)} onClick={() => setAsked(true)}>
        {text}
      </button>
    );
  return (
    <form
      class="removal"
      onSubmit={(event) => {
        event.preventDefault();
        void run(act).then((done) => done && setAsked(false));
      }}
    >
      <p id={id}>{loses}</p>
      {asksName && (
        <label class="field">
          <span>{t("remove.type_name", { name })}</span>
          <input
            value={typed}
            aria-describedby={id}
            autocomplete="off"
            autocapitalize="none"
            onInput={(event) => setTyped(event.currentTarget.value)}
          />
        </label>
      )}
      <Problem of={problem} />
      <div class="buttons">
        <button type="submit" class="danger" disabled={busy || !canAct(may) || (asksName && typed.trim() !== name)}>
          {text}
        </button>
        <button type="button" onClick={() => setAsked(false)}>
          {t("remove.keep")}
        </button>
      </div>
    </form>
  );
}
