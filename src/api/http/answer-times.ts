// Measures how long answers take, for the figures of the hub.
import type { Clock } from "../../kit/time/clock.ts";
import type { Answer } from "./resources.ts";

/** Gives the answer of `work`, and reports how long it took until it began. */
export type AnswerTimes = (request: Request, work: () => Answer) => Answer;

const METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);
const CODES = ["", "1xx", "2xx", "3xx", "4xx", "5xx"];

/** `code` is the class of the status: `2xx`. */
export function createAnswerTimes(
  clock: Pick<Clock, "mono">,
  observe: (seconds: number, method: string, code: string) => void,
): AnswerTimes {
  function record(begun: number, { method }: Request, answer: Response | undefined): void {
    // A request that became a WebSocket has no answer.
    if (!answer) return;
    const code = CODES[Math.floor(answer.status / 100)] ?? "other";
    observe((clock.mono() - begun) / 1000, METHODS.has(method) ? method : "other", code);
  }

  return function timed(request, work) {
    const begun = clock.mono();
    const answer = work();
    if (!(answer instanceof Promise)) {
      record(begun, request, answer);
      return answer;
    }
    return answer.then((response) => {
      record(begun, request, response);
      return response;
    });
  };
}
