// POST /mcp, beside the API: assistants, over the Model Context Protocol. What stands behind it is loaded at the first request.
import { Elysia } from "elysia";
import { HubError } from "../../../kit/schema/errors.ts";
import type { McpScope } from "../../../server/auth/mcp-scope.ts";
import type { Role } from "../../../server/auth/roles.ts";
import type { Callers, PeerSource } from "../callers.ts";
import { doc } from "../doc.ts";

export interface McpRouteDeps {
  /** Undefined where [mcp] is off. */
  mcp: ((request: Request, caller: McpCaller) => Promise<Response>) | undefined;
  callers: Pick<Callers, "of" | "addressOf">;
}

interface McpCaller {
  id: string;
  name: string;
  role: Role;
  scope: McpScope;
  address: string;
}

/** `acts: false`: most tools only read, and each of the others asks whether this machine is the hub. */
const summary = "The Model Context Protocol (Streamable HTTP), for keys made for it";

export function mcpRoutes({ mcp, callers }: McpRouteDeps) {
  if (!mcp) {
    const off = (): never => {
      throw new HubError("not_found", "MCP is switched off: set enabled = true in [mcp] of hub.toml and restart");
    };
    return new Elysia().post("/mcp", off, { parse: "none", ...doc({ access: "public", summary, tag: "mcp" }) });
  }
  return new Elysia().post(
    "/mcp",
    ({ request, server }) => {
      const { id, name, role, mcp: scope } = callers.of(request);
      if (!scope) throw new Error("a key without a scope was admitted to /mcp");
      return mcp(request, { id, name, role, scope, address: callers.addressOf(request, server as PeerSource | null) });
    },
    { parse: "none", ...doc({ access: "viewer", scope: "mcp", acts: false, summary, tag: "mcp" }) },
  );
}
