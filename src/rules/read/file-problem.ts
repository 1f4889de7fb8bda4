// Problems of rule files and blueprints: what they are, and the refusal made of them.
import { HubError, messageOf } from "../../kit/schema/errors.ts";
import { problemAt, type TextProblem } from "../../kit/schema/text-places.ts";

export interface FileProblem extends TextProblem {
  /** Dotted path within the rule, where there is one. */
  path?: string;
}

/** For what no reader of rules should throw, nor anything that runs them. */
export function unforeseen(text: string, error: unknown): FileProblem {
  const message = `the hub fails at this file, which is a fault of the hub: ${messageOf(error)}`;
  return problemAt(text, { offset: 0, message });
}

/** The refusal of a text or of a rule's JSON, with all its problems in the details. */
export function refusalOf(problems: readonly (Partial<FileProblem> & { message: string })[]): HubError {
  const lines = problems.map(({ line, column, path, message }) => {
    const place = line === undefined ? path : `${line}:${column}`;
    return place ? `${place}: ${message}` : message;
  });
  return new HubError("invalid", lines.join("; "), { details: { problems } });
}
