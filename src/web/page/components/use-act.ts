// Doing something at the hub from a view: one at a time, and what it refused stays until the next try.
import { useState } from "preact/hooks";
import { connection } from "../state/live.ts";
import { allows, type Role } from "../state/session.ts";

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
      }
    },
  };
}

/** Whether a control of the view can be used now, by this person. */
export function mayAct(role: Role): boolean {
  return connection.value.state === "live" && allows(role);
}
