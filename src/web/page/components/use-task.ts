// Something that takes a moment and may fail: whether it is under way, and what went wrong.
import { useState } from "preact/hooks";
import { connection } from "../state/live.ts";

export interface Task {
  busy: boolean;
  /** Under way, or the hub cannot be reached: what starts it is disabled. */
  locked: boolean;
  problem: unknown;
  /** Resolves to whether it went well. Never rejects. */
  run(work: () => Promise<unknown>): Promise<boolean>;
}

export function useTask(): Task {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<unknown>();
  return {
    busy,
    locked: busy || connection.value.state !== "live",
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
