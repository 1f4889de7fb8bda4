// Keeps back the answer to what changed something, until the other machine of the house has it too: the one place for all routes.
import { type Kept, watchKept } from "../../kit/lifecycle/kept.ts";
import { type Json, parseJson } from "../../kit/schema/json.ts";
import { problemResponse } from "./errors.ts";
import { splitUrl } from "./request-url.ts";
import type { Answer, Route } from "./resources.ts";

export type HoldAnswer = (route: Pick<Route, "keeps">, request: Request, run: () => Answer) => Promise<Response>;

export function createHoldAnswer(kept: Kept): HoldAnswer {
  return async function hold({ keeps }, { url }, run) {
    const confirmed = watchKept(kept, keeps);
    const answer = await run();
    // What was refused has changed nothing.
    const problem = answer.ok ? await confirmed() : undefined;
    return problem === undefined ? answer : unconfirmed(problem, answer, splitUrl(url).path);
  };
}

/** With what the route has answered: a key, for one, is shown only once. */
async function unconfirmed(message: string, answer: Response, path: string): Promise<Response> {
  const details = { kept: true, answered: answer.status, answer: await jsonOf(answer) };
  const response = problemResponse({ code: "unconfirmed", message, details }, path);
  for (const [name, value] of answer.headers) if (!response.headers.has(name)) response.headers.set(name, value);
  return response;
}

async function jsonOf(answer: Response): Promise<Json> {
  if (!answer.headers.get("content-type")?.startsWith("application/json")) return null;
  const parsed = parseJson(await answer.text());
  return parsed.ok ? parsed.value : null;
}
