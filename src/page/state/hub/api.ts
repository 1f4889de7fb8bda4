// The hub's REST API.
import { noteHubTime } from "./clock.ts";
import { session, sessionExpired } from "./session.ts";

export const API = "/api/v1";
const MAX_MS = 20_000;

/** What the hub refused, in its own words; `status` 0 where it could not be reached. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  readonly problems: readonly { path?: string; message: string }[];
  /** `password`: it asks for that again. */
  readonly confirm: string | undefined;

  constructor(
    status: number,
    body: { code?: string; detail?: string; problems?: ApiError["problems"]; confirm?: string },
  ) {
    super(body.detail ?? "");
    this.status = status;
    this.code = body.code ?? "";
    this.problems = body.problems ?? [];
    this.confirm = body.confirm;
  }
}

export interface Asked {
  body?: unknown;
  headers?: Record<string, string>;
  timeoutMs?: number;
  /** Aborted when nobody waits for the answer any more. */
  signal?: AbortSignal;
}

/** Throws ApiError. */
export async function ask(
  method: string,
  path: string,
  { body, headers = {}, timeoutMs = MAX_MS, signal }: Asked = {},
): Promise<Response> {
  const token = session.value?.token;
  const isRaw = body instanceof Blob || typeof body === "string";
  let answer: Response;
  try {
    answer = await fetch(API + path, {
      method,
      headers: {
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && !isRaw && { "content-type": "application/json" }),
        ...headers,
      },
      ...(body !== undefined && { body: isRaw ? (body as BodyInit) : JSON.stringify(body) }),
      signal: AbortSignal.any([AbortSignal.timeout(timeoutMs), ...(signal ? [signal] : [])]),
    });
  } catch {
    throw new ApiError(0, { code: "unreachable" });
  }
  noteHubTime(answer.headers.get("date"));
  if (answer.ok) return answer;
  const refused = new ApiError(
    answer.status,
    (await answer.json().catch(() => ({}))) as ConstructorParameters<typeof ApiError>[1],
  );
  if (answer.status === 401 && token !== undefined && token === session.value?.token) sessionExpired();
  throw refused;
}

async function json<T>(method: string, path: string, asked?: Asked): Promise<T> {
  const answer = await ask(method, path, asked);
  const text = await answer.text();
  return (text === "" ? undefined : JSON.parse(text)) as T;
}

export const get = <T>(path: string): Promise<T> => json("GET", path);
export const post = <T = unknown>(path: string, body?: unknown, asked: Asked = {}): Promise<T> =>
  json("POST", path, { ...asked, body });
export const put = <T = unknown>(path: string, body: unknown, asked: Asked = {}): Promise<T> =>
  json("PUT", path, { ...asked, body });
export const patch = <T = unknown>(path: string, body: unknown): Promise<T> => json("PATCH", path, { body });
export const remove = (path: string): Promise<void> => json("DELETE", path);
