// Something a form does on the hub: whether it is under way, and what went wrong.
import { useState } from "preact/hooks";

export interface Act {
  busy: boolean;
  problem: unknown;
  /** Resolves with whether it went well. */
  run: (act: () => Promise<unknown>) => Promise<boolean>;
}

export function useAct(): Act {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<unknown>();
  return {
    busy,
    problem,
    async run(act) {
      setBusy(true);
      setProblem(undefined);
      try {
        await act();
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
