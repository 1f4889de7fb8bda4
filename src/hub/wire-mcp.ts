// Wires /mcp. A hub where it is off, or where nobody asked yet, has loaded nothing of it.
import type { Log } from "../core/log.ts";
import type { McpRouteDeps } from "../http/routes/mcp.ts";
import type { McpEndpoint } from "../mcp/endpoint.ts";
import type { McpDeps } from "../mcp/tool.ts";

export function wireMcp(
  enabled: boolean,
  deps: McpDeps,
  { log, stack }: { log: Log; stack: AsyncDisposableStack },
): McpRouteDeps["mcp"] {
  if (!enabled) return undefined;
  let opened: Promise<McpEndpoint> | undefined;
  const open = async (): Promise<McpEndpoint> => {
    const { createMcpEndpoint } = await import("../mcp/endpoint.ts");
    return createMcpEndpoint(deps, log);
  };
  stack.defer(async () => (await opened)?.[Symbol.asyncDispose]());
  return async (request, caller) => {
    opened ??= open();
    return (await opened).answer(request, caller);
  };
}
