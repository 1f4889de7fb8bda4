// Documents name only requests that the API answers, with parameters that it has.
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { ApiDocument, Operation } from "../support/documented.ts";
import { startTestHub, type TestHub } from "../support/test-hub.ts";
import { DOCUMENTS, type PrintedRequest, requestsOf } from "./printed-commands.ts";

let hub: TestHub;
let routes: { method: string; pattern: RegExp; operation: Operation }[];
beforeAll(async () => {
  hub = await startTestHub();
  const { paths } = (await (await hub.request("GET", "/openapi.json")).json()) as ApiDocument;
  routes = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({
      ...{ method: method.toUpperCase(), operation },
      pattern: new RegExp(
        `^${path
          .replace("/api/v1", "")
          .split(/\{\w+\}/)
          .map(RegExp.escape)
          .join("[^/]+")}$`,
      ),
    })),
  );
});
afterAll(() => hub[Symbol.asyncDispose]());

/** At the root of the address, so not of the API. */
const ELSEWHERE = ["/", "/metrics", "/mcp"];

function mistakeIn({ method, path, query }: PrintedRequest): string | undefined {
  if (ELSEWHERE.includes(path)) return undefined;
  const found = routes.find((route) => route.method === method && route.pattern.test(path));
  if (!found) return "there is no such request";
  const known = (found.operation.parameters ?? []).filter((one) => one.in === "query").map(({ name }) => name);
  return query.find((name) => !known.includes(name));
}

test("each request in a document is one of the API", () => {
  const requests = DOCUMENTS.flatMap(requestsOf);
  expect(requests.length).toBeGreaterThan(150);
  const wrong = requests.flatMap((request) => {
    const mistake = mistakeIn(request);
    return mistake === undefined ? [] : [`${request.place}: ${request.method} ${request.path}: ${mistake}`];
  });
  expect(wrong).toEqual([]);
});
