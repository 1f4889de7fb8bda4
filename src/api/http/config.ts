// [server]: where the API listens, and which proxies, pages and names it accepts.
import { type Static, Type } from "@sinclair/typebox";
import type { Problem } from "../../kit/schema/schema.ts";
import { parseRange } from "../../kit/text/addresses.ts";

const HOST_NAME = "^[A-Za-z0-9_]([A-Za-z0-9._-]*[A-Za-z0-9_])?$";

export const ServerSection = Type.Object(
  {
    host: Type.String({ minLength: 1, default: "0.0.0.0" }),
    port: Type.Integer({ minimum: 0, maximum: 65_535, default: 8080, description: "0 takes any free port." }),
    cors_origins: Type.Array(
      Type.String({
        pattern: "^(\\*|https?://[^/\\s]+)$",
        problem: 'must be an origin such as "https://home.example" (no path), or "*"',
      }),
      { default: [] },
    ),
    tls_cert: Type.Optional(Type.String({ minLength: 1 })),
    tls_key: Type.Optional(Type.String({ minLength: 1 })),
    trusted_proxies: Type.Array(Type.String(), {
      default: [],
      description: "Addresses or CIDR ranges of proxies whose `X-Forwarded-For` counts.",
    }),
    hosts: Type.Array(
      Type.String({
        pattern: HOST_NAME,
        problem: 'must be a name without scheme, port or path, such as "home.example"',
      }),
      {
        default: [],
        description:
          "Names under which whitelisted addresses may call the hub, beside addresses, `localhost`, `*.local` and the machine's own.",
      },
    ),
    max_body_bytes: Type.Integer({
      minimum: 1024,
      maximum: 64 * 1024 * 1024,
      default: 1024 * 1024,
      description: "Largest request body; a backup to restore is streamed and not counted.",
    }),
    max_anonymous_requests_per_second: Type.Integer({
      minimum: 1,
      maximum: 1_000_000,
      default: 500,
      description: "Requests of one address without an account, `/health` not counted; four times as many at once.",
    }),
    max_pipelined_requests: Type.Integer({
      minimum: 1,
      maximum: 10_000,
      default: 64,
      description: "Requests that one connection may send without waiting for answers.",
    }),
  },
  { additionalProperties: false },
);
export type ServerSection = Static<typeof ServerSection>;

export function serverProblems({ tls_cert, tls_key, trusted_proxies }: ServerSection): Problem[] {
  const problems: Problem[] = trusted_proxies.flatMap((entry, index) =>
    parseRange(entry)
      ? []
      : [
          {
            path: `server.trusted_proxies[${index}]`,
            message: `"${entry}" is neither an address nor a range such as "10.0.0.0/8"`,
          },
        ],
  );
  if (Boolean(tls_cert) !== Boolean(tls_key)) {
    const missing = tls_cert ? "tls_key" : "tls_cert";
    problems.push({
      path: `server.${missing}`,
      message: "missing: TLS needs both tls_cert and tls_key; give both or neither",
    });
  }
  return problems;
}
