// [standby]: the lease that decides which of two hubs commands the house, in an engine that other programs run.
import { type Static, Type } from "@sinclair/typebox";
import type { Problem } from "../../kit/schema/schema.ts";

const ENGINES = ["postgres:", "postgresql:", "nats:", "tls:"];

export const StandbySection = Type.Object(
  {
    lease: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 2000,
        description:
          "Where the lease is kept: postgres://HOST:PORT/DATABASE, or nats://HOST:PORT (JetStream), several nodes of one cluster with commas. Absent: one hub, or a standby that a person promotes",
      }),
    ),
    username: Type.Optional(Type.String({ minLength: 1 })),
    password: Type.Optional(Type.String({ minLength: 1, secret: true })),
    token: Type.Optional(Type.String({ minLength: 1, secret: true, description: "Of NATS, instead of a username" })),
    ca: Type.Optional(
      Type.String({ minLength: 1, description: "PEM file of the authority that signed the engine's certificate" }),
    ),
    house: Type.String({
      default: "home",
      pattern: "^[a-z0-9_-]{1,64}$",
      problem: "must be 1 to 64 small letters, digits, dashes or underscores",
      description: "The lease's name: another one for each house that uses the same engine",
    }),
    lease_secs: Type.Integer({
      default: 8,
      minimum: 3,
      maximum: 300,
      description: "How long a hub that is gone keeps the lease; the standby takes over a few seconds later",
    }),
    when_alone: Type.Union([Type.Literal("stop"), Type.Literal("continue")], {
      default: "stop",
      description:
        "What the hub does that reaches neither the lease nor its standby: stop, so that two never command one house; or continue, where the standby cannot be cut off without the house",
    }),
    acknowledge: Type.Union([Type.Literal("local"), Type.Literal("standby")], {
      default: "local",
      description:
        "When a change is answered: local, once it is on this machine's disk; standby, once it is on the other machine's, too, so that no take-over loses what was acknowledged",
    }),
  },
  { additionalProperties: false },
);
export type StandbySection = Static<typeof StandbySection>;

/** The url's nodes; never empty. */
export function leaseNodes(lease: string): string[] {
  const [first = "", ...rest] = lease.split(",").map((node) => node.trim());
  const scheme = /^[a-z]+:\/\//.exec(first)?.[0] ?? "";
  return [first, ...rest.map((node) => (node.includes("://") ? node : scheme + node))];
}

export function standbyProblems({ lease, username, password, token }: StandbySection): Problem[] {
  if (lease === undefined) return [];
  const problem = (key: string, message: string): Problem => ({ path: `standby.${key}`, message });
  const problems: Problem[] = [];
  for (const node of leaseNodes(lease)) {
    const url = URL.canParse(node) ? new URL(node) : undefined;
    if (!url || !ENGINES.includes(url.protocol) || url.hostname === "")
      problems.push(problem("lease", "must be like postgres://HOST:5432/DATABASE or nats://HOST:4222"));
    else if (url.username !== "" || url.password !== "")
      problems.push(problem("lease", "must not hold a login: put it into username and password"));
  }
  const isPostgres = lease.startsWith("postgres");
  if (isPostgres && lease.includes(",")) problems.push(problem("lease", "is one address where it is PostgreSQL"));
  if (isPostgres && token !== undefined) problems.push(problem("token", "is for NATS: PostgreSQL has a password"));
  if (password !== undefined && username === undefined) problems.push(problem("username", "is missing"));
  return problems;
}
