// Asking the hub about what somebody is typing.
import { useEffect } from "preact/hooks";

interface Asking<T> {
  /** Undefined: there is nothing to ask now. */
  ask: (() => Promise<T>) | undefined;
  onAnswer: (answer: T) => void;
  onFailure: (error: unknown) => void;
  afterMs: number;
}

/**
 * Asks once `about` has stayed the same for a moment. Only the last question counts: the answer to an earlier one may come after
 * it, and would say what is no longer so.
 */
export function useAskSoon<T>({ ask, onAnswer, onFailure, afterMs }: Asking<T>, about: readonly unknown[]): void {
  useEffect(() => {
    if (!ask) return;
    let isLast = true;
    const timer = setTimeout(() => {
      ask().then(
        (answer) => isLast && onAnswer(answer),
        (error: unknown) => isLast && onFailure(error),
      );
    }, afterMs);
    return () => {
      isLast = false;
      clearTimeout(timer);
    };
  }, about);
}
