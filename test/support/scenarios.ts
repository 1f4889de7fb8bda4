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

/** Rows that need nothing of each other: each is a test. */
export function runScenarios(hub: () => TestHub, rows: readonly Scenario[]): void {
  for (const row of rows) test(row.name, () => checkRow(hub(), row));
}

/** Rows that build on each other: the steps of the test that calls this. */
export async function runSteps(hub: TestHub, rows: readonly Scenario[]): Promise<void> {
  for (const row of rows) await checkRow(hub, row);
}

const tokens = new WeakMap<TestHub, Map<string, string>>();

async function checkRow(hub: TestHub, row: Scenario): Promise<void> {
  const token = row.token ?? (await tokenOf(hub, row.as ?? "admin"));
  const response = await hub.request(row.method ?? "GET", row.path, {
    ...(token ? { token } : {}),
    ...(row.body === undefined ? {} : { body: row.body }),
    ...(row.headers ? { headers: row.headers } : {}),
  });
  const text = await response.text();
  const { name, status } = row;
  expect({ name, status: response.status, text }).toMatchObject({ name, status });
  for (const part of row.contains ?? []) expect({ name, text }).toEqual({ name, text: expect.stringContaining(part) });
  for (const part of row.lacks ?? []) expect({ name, text }).toEqual({ name, text: expect.not.stringContaining(part) });
  for (const [header, value] of Object.entries(row.answers ?? {}))
    expect({ name, [header]: response.headers.get(header) }).toEqual({ name, [header]: value });
  if (row.status >= 400) expectProblem(response, text);
}

async function tokenOf(hub: TestHub, role: NonNullable<Scenario["as"]>): Promise<string | undefined> {
  if (role === "nobody") return undefined;
  const ofHub = tokens.get(hub) ?? new Map<string, string>();
  tokens.set(hub, ofHub);
  const token = ofHub.get(role) ?? (await hub.tokenFor(role));
  ofHub.set(role, token);
  return token;
}

function expectProblem(response: Response, text: string): void {
  expect(response.headers.get("content-type")).toContain("application/problem+json");
  const problem = JSON.parse(text) as Record<string, unknown>;
  expect(problem.status).toBe(response.status);
  expect(problem.error).toBe(problem.detail as string);
}
