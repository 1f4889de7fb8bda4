// Reads request bodies: JSON only, bounded in depth before anything walks them, and without keys that reach into
// prototypes. A form is refused: its keys, told back as unknown ones, may be a whole body with a password in it.
import type { TSchema } from "@sinclair/typebox";
import { HubError } from "../core/errors.ts";
import { type Json, parseJson } from "../core/json.ts";
import { MAY_BE_ABSENT } from "./described-schemas.ts";

/**
 * `contentType` is without its parameters; a body that names none is not read, and is null. Many clients name one where
 * they send nothing: that is null as well. Throws HubError `unsupported_media_type` or `invalid`.
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

/** For a route with a body. Not for all routes at once: a parser makes each of them asynchronous, also where nothing is sent. */
export function jsonBody<S extends TSchema>(schema: S) {
  const read = ({ request, contentType }: { request: Request; contentType: string }) => readBody(request, contentType);
  // "json" is never reached, as ours always answers; without it the OpenAPI document has no body.
  return { body: schema, parse: [read, "json" as const] };
}

/** The same where all of it may be left out, and then the body as well: it is an empty object. */
export function optionalJsonBody<S extends TSchema>(schema: S) {
  const read = async ({ request, contentType }: { request: Request; contentType: string }) =>
    (await readBody(request, contentType)) ?? {};
  const body: S = { ...schema, [MAY_BE_ABSENT]: true };
  return { body, parse: [read, "json" as const] };
}

/** For changing a value: what is not said stays as it is. */
export function withoutDefault<S extends TSchema>(schema: S): S {
  const { default: _, ...rest } = schema;
  return rest as S;
}
