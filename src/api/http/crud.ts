// What the nouns of the house (areas, modes, scenes, switches, timers, variables) have in common: how their list, create, get,
// edit and remove routes are documented and logged, and the two answers that carry a status of their own.
import { type TSchema, Type } from "@sinclair/typebox";
import { doc, type Refusals, type RouteDoc } from "./doc.ts";

export interface Noun {
  noun: string;
  /** Its tag as well. */
  plural: string;
  schema: TSchema;
}

/** The `doc()` of each route: a `viewer` may read, a `user` may write. */
export function crudDocs({ noun, plural: tag, schema }: Noun) {
  const aNoun = `${/^[aeiou]/.test(noun) ? "an" : "a"} ${noun}`;
  const answer = { description: `The ${noun}`, schema };
  return {
    list: (description: string) =>
      doc({
        access: "viewer",
        summary: `All ${tag}`,
        tag,
        answers: { 200: { description, schema: Type.Array(schema) } },
      }),
    create: (refusals: Refusals, summary = `Make ${aNoun}`) =>
      doc({ access: "user", audit: `${noun}.create`, summary, tag, answers: { 201: answer }, refusals }),
    get: () => doc({ access: "viewer", summary: `One ${noun}`, tag, answers: { 200: answer } }),
    /** For every route that changes one and answers with it. */
    edit: (summary: string, more: Pick<RouteDoc, "makesMissing" | "refusals"> = {}) =>
      doc({ access: "user", audit: `${noun}.change`, summary, tag, answers: { 200: answer }, ...more }),
    remove: (summary = `Remove ${aNoun}`) =>
      doc({
        access: "user",
        audit: `${noun}.remove`,
        summary,
        tag,
        answers: { 204: { description: "Removed" } },
      }),
  };
}

/** The body of a 201. */
export function created<T>(set: { status?: number | string }, body: T): T {
  set.status = 201;
  return body;
}

/** Does `work`, then answers 204. */
export function noContent(work: () => void): Response {
  work();
  return new Response(null, { status: 204 });
}
