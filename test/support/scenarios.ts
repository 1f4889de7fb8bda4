// HTTP tests as rows: what is asked, as whom, and what must and must not come back.
import { expect, test } from "bun:test";
import type { TestHub } from "./test-hub.ts";

export interface Scenario {
  name: string;
  method?: string;
  path: string;
  as?: "admin" | "user" | "viewer" | "nobody";
  token?: string;
  body?: unknown;
  headers?: Record<string, string>;
  status: number;
  contains?: string[];
  lacks?: string[];
  /** Response header → value it must have. */
  answers?: Record<string, string>;
}

export function runScenarios(hub: () => TestHub, rows: readonly Scenario[]): void {
  const tokens = new Map<string, string>();
  for (const row of rows) {
    test(row.name, async () => {
      const role = row.as ?? "admin";
      if (role !== "nobody" && !tokens.has(role)) tokens.set(role, await hub().tokenFor(role));
      const token = row.token ?? tokens.get(role);
      const response = await hub().request(row.method ?? "GET", row.path, {
        ...(token ? { token } : {}),
        ...(row.body === undefined ? {} : { body: row.body }),
        ...(row.headers ? { headers: row.headers } : {}),
      });
      const text = await response.text();
      expect({ status: response.status, text }).toMatchObject({ status: row.status });
      for (const part of row.contains ?? []) expect(text).toContain(part);
      for (const part of row.lacks ?? []) expect(text).not.toContain(part);
      for (const [name, value] of Object.entries(row.answers ?? {})) expect(response.headers.get(name)).toBe(value);
      if (row.status >= 400) expectProblem(response, text);
    });
  }
}

function expectProblem(response: Response, text: string): void {
  expect(response.headers.get("content-type")).toContain("application/problem+json");
  const problem = JSON.parse(text) as Record<string, unknown>;
  expect(problem.status).toBe(response.status);
  expect(problem.error).toBe(problem.detail as string);
}
