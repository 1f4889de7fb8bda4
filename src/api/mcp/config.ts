// [mcp]: whether assistants may use the hub over the Model Context Protocol, at /mcp.
import { type Static, Type } from "@sinclair/typebox";

export const McpSection = Type.Object(
  {
    enabled: Type.Boolean({
      default: false,
      description: "Whether assistants with an API key made for MCP may use the hub, at `/mcp`.",
    }),
  },
  { additionalProperties: false },
);
export type McpSection = Static<typeof McpSection>;
