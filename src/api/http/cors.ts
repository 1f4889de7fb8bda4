// Cross-origin requests: refused, except from the origins in [server] cors_origins.

export interface Cors {
  /** The answer to a preflight request; undefined for any other. */
  preflight(request: Request): Response | undefined;
  /** Headers for the answer to this request; undefined where its origin is not listed. */
  headers(request: Request): Record<string, string> | undefined;
}

export function createCors(origins: readonly string[]): Cors {
  function headers(request: Request): Record<string, string> | undefined {
    if (origins.length === 0) return undefined;
    const origin = request.headers.get("origin");
    if (origin === null || !(origins.includes(origin) || origins.includes("*"))) return undefined;
    return { "access-control-allow-origin": origins.includes("*") ? "*" : origin, vary: "Origin" };
  }
  return {
    headers,
    preflight(request) {
      if (request.method !== "OPTIONS" || !request.headers.has("access-control-request-method")) return undefined;
      const allowed = headers(request);
      if (!allowed) return undefined;
      return new Response(null, {
        status: 204,
        headers: {
          ...allowed,
          "access-control-allow-methods": "GET, POST, PUT, PATCH, DELETE",
          "access-control-allow-headers":
            "Authorization, Content-Type, X-Hub-Confirmation, MCP-Protocol-Version, Mcp-Method, Mcp-Name",
          "access-control-max-age": "3600",
        },
      });
    },
  };
}
