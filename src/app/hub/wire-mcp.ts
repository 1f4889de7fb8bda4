// Wires /mcp. A hub where it is off, or where nobody asked yet, has loaded nothing of it.
import type { McpRouteDeps } from "../../api/http/routes/mcp.ts";
import type { McpEndpoint } from "../../api/mcp/endpoint.ts";
import type { McpDeps } from "../../api/mcp/tool.ts";
import type { Log } from "../../kit/lifecycle/log.ts";

export function wireMcp(
  enabled: boolean,
  deps: McpDeps,
  { log, stack }: { log: Log; stack: AsyncDisposableStack },
): McpRouteDeps["mcp"] {
  if (!enabled) return undefined;
  let opened: Promise<McpEndpoint> | undefined;
  const open = async (): Promise<McpEndpoint> => {
    const { createMcpEndpoint } = await import("../../api/mcp/endpoint.ts");
    return createMcpEndpoint(deps, log);
  };
  stack.defer(async () => (await opened)?.[Symbol.asyncDispose]());
  return async (request, caller) => {
    opened ??= open();
    return (await opened).answer(request, caller);
  };
}
