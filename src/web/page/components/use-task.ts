// Something that takes a moment and may fail: whether it is under way, and what went wrong.
import { useState } from "preact/hooks";

export interface Task {
  busy: boolean;
  problem: unknown;
  /** Resolves to whether it went well. Never rejects. */
  run(work: () => Promise<unknown>): Promise<boolean>;
}

export function useTask(): Task {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<unknown>();
  return {
    busy,
    problem,
    async run(work) {
      setBusy(true);
      setProblem(undefined);
      try {
        await work();
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
