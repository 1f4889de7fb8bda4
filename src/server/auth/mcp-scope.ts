// What an API key for MCP may see and do. Such a key opens /mcp and nothing else.
import { type Static, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { parseJson } from "../../kit/schema/json.ts";

const MOST = 1000;
const Name = Type.String({ minLength: 1, maxLength: 200 });

export const McpScope = Type.Object(
  {
    /** Ids of areas; null is the whole house. */
    areas: Type.Union([Type.Array(Name, { maxItems: MOST }), Type.Null()]),
    /** Ids of devices that were named: the only way to those that protect the house. */
    devices: Type.Array(Name, { maxItems: MOST }),
    readOnly: Type.Boolean(),
  },
  { additionalProperties: false },
);
export type McpScope = Static<typeof McpScope>;

const NOTHING: McpScope = { areas: [], devices: [], readOnly: true };

/** From the column of a key's row; null is a key for the API. What cannot be read allows nothing. */
export function storedScope(text: unknown): McpScope | undefined {
  if (text === null) return undefined;
  const parsed = typeof text === "string" ? parseJson(text) : undefined;
  return parsed?.ok && Value.Check(McpScope, parsed.value) ? parsed.value : NOTHING;
}
