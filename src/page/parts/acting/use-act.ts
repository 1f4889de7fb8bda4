// Doing something at the hub from a view: one at a time, and what it refused stays until the next try.
import { useState } from "preact/hooks";
import { connection } from "../../state/hub/live.ts";
import { allows, type Role } from "../../state/hub/session.ts";

export interface Act {
  busy: boolean;
  /** Under way, or the hub cannot be reached: what starts it is disabled. */
  locked: boolean;
  problem: unknown;
  /** Resolves to whether it was done. Never rejects. */
  run: (what: () => Promise<unknown>) => Promise<boolean>;
  forget: () => void;
}

export function useAct(): Act {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<unknown>();
  return {
    busy,
    locked: busy || connection.value.state !== "live",
    problem,
    forget: () => setProblem(undefined),
    async run(what) {
      const pressed = document.activeElement;
      setBusy(true);
      setProblem(undefined);
      try {
        await what();
        return true;
      } catch (error) {
        setProblem(error);
        return false;
      } finally {
        setBusy(false);
        requestAnimationFrame(() => keepFocus(pressed));
      }
    },
  };
}

/** A button that cannot be pressed for a while loses the focus: it gets it back, unless somebody went elsewhere. */
export function keepFocus(pressed: Element | null): void {
  if (document.activeElement === document.body && pressed instanceof HTMLElement && pressed.isConnected)
    pressed.focus({ preventScroll: true });
}

/** Whether a control of the view can be used now, by this person. */
export function mayAct(role: Role): boolean {
  return connection.value.state === "live" && allows(role);
}
