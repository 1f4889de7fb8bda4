// The OpenAPI document, made from the routes' own schemas by Elysia's plugin; no page, no asset from elsewhere.
import { openapi } from "@elysiajs/openapi";

export const OPENAPI_PATH = "/openapi.json";

const Problem = {
  type: "object" as const,
  description: "RFC 9457 problem details; `error` repeats `detail`",
  required: ["type", "title", "status", "detail", "error", "instance"],
  properties: {
    type: { type: "string" as const },
    title: { type: "string" as const },
    status: { type: "integer" as const },
    code: { type: "string" as const, description: "Stable; the texts may change" },
    detail: { type: "string" as const },
    error: { type: "string" as const },
    instance: { type: "string" as const },
    problems: {
      type: "array" as const,
      items: {
        type: "object" as const,
        properties: { path: { type: "string" as const }, message: { type: "string" as const } },
      },
    },
  },
};

export function openApiDocument(version: string) {
  return openapi({
    provider: null,
    specPath: OPENAPI_PATH,
    documentation: {
      info: { title: "Hub", version, description: "A home-automation hub: devices, events, plugins, users." },
      components: {
        schemas: { Problem },
        securitySchemes: {
          bearer: { type: "http", scheme: "bearer", description: "A token from /auth/login, or an API key" },
        },
      },
      security: [{ bearer: [] }],
    },
  });
}
