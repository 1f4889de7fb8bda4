// Who calls a tool: a key for MCP.
import type { McpScope } from "../../server/auth/mcp-scope.ts";
import type { Role } from "../../server/auth/roles.ts";

export interface McpCaller {
  /** The key's id. */
  readonly id: string;
  /** Its label. */
  readonly name: string;
  readonly role: Role;
  readonly scope: McpScope;
  /** The network address. */
  readonly address: string;
}
