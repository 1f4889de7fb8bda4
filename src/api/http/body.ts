// Reads request bodies: JSON only, bounded in depth before anything walks them, and without keys that reach into
// prototypes. A form is refused: the error would list its keys as unknown, and a key may be a whole body with a password.
import type { TSchema } from "@sinclair/typebox";
import { HubError } from "../../kit/schema/errors.ts";
import { type Json, parseJson } from "../../kit/schema/json.ts";
import { MAY_BE_ABSENT } from "./openapi/schemas.ts";

/**
 * `contentType` is without its parameters. Without a type the body is not read, and is null; an empty body is null as well, as
 * many clients name a type and send nothing. Throws HubError `unsupported_media_type` or `invalid`.
 */
export async function readBody(request: Request, contentType: string): Promise<Json> {
  if (contentType === "") return null;
  if (contentType.toLowerCase() !== "application/json") {
    throw new HubError("unsupported_media_type", "the body must be JSON, with Content-Type: application/json");
  }
  const text = await request.text();
  if (text === "") return null;
  const parsed = parseJson(text);
  if (parsed.ok) return parsed.value;
  throw new HubError("invalid", `the body is refused: ${parsed.problem}`);
}

/** For a body or an answer that takes long: without a longer timeout Bun cuts an idle connection. */
export function keepOpen(server: unknown, request: Request): void {
  (server as { timeout(request: Request, seconds: number): void } | null)?.timeout(request, 0);
}

/** For one route with a body. A parser for all routes would make each of them asynchronous, even without a body. */
export function jsonBody<S extends TSchema>(schema: S) {
  const read = ({ request, contentType }: { request: Request; contentType: string }) => readBody(request, contentType);
  // "json" is never used, as `read` always returns a value; without it the OpenAPI document has no body.
  return { body: schema, parse: [read, "json" as const] };
}

/** The same for a body whose keys are all optional: without a body it is an empty object. */
export function optionalJsonBody<S extends TSchema>(schema: S) {
  const read = async ({ request, contentType }: { request: Request; contentType: string }) =>
    (await readBody(request, contentType)) ?? {};
  const body: S = { ...schema, [MAY_BE_ABSENT]: true };
  return { body, parse: [read, "json" as const] };
}

/** For a PATCH: an absent key keeps its value, so it must not get its default. */
export function withoutDefault<S extends TSchema>(schema: S): S {
  const { default: _, ...rest } = schema;
  return rest as S;
}
