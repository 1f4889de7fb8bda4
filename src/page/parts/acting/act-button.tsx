// A button that does something on the hub: off while it is under way or the hub is not reached, and with what went wrong beside it.
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { canAct } from "../../state/hub/acting.ts";
import type { Role } from "../../state/hub/session.ts";
import { Problem } from "./problem.tsx";

interface ActButtonProps {
  act: () => Promise<unknown>;
  may?: Role;
  look?: "main" | "danger";
  disabled?: boolean;
  /** For screen readers, where the text alone does not say of what. */
  label?: string;
  children: ComponentChildren;
}

export function ActButton({ act, may = "admin", look, disabled = false, label, children }: ActButtonProps) {
  const [problem, setProblem] = useState<unknown>();
  const [busy, setBusy] = useState(false);

  async function run(): Promise<void> {
    setBusy(true);
    setProblem(undefined);
    try {
      await act();
    } catch (error) {
      setProblem(error);
    }
    setBusy(false);
  }

  return (
    <>
      <button
        type="button"
        class={look}
        aria-label={label}
        disabled={busy || disabled || !canAct(may)}
        onClick={() => void run()}
      >
        {children}
      </button>
      <Problem of={problem} />
    </>
  );
}
