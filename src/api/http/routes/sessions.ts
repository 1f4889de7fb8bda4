// /auth/sessions: who is logged in where, and ending a login. Administrators see all logins, others their own.
import { Type } from "@sinclair/typebox";
import { Elysia, t } from "elysia";
import { HubError } from "../../../kit/schema/errors.ts";
import { isoSeconds } from "../../../kit/time/clock.ts";
import type { Auth, Identity } from "../../../server/auth/auth.ts";
import type { LoginSession } from "../../../server/auth/login-sessions.ts";
import { allows } from "../../../server/auth/roles.ts";
import type { Callers } from "../callers.ts";
import { noContent } from "../crud.ts";
import { doc } from "../doc.ts";

const nullable = (description: string) => Type.Union([Type.String(), Type.Null()], { description });
const Session = Type.Object({
  id: Type.String(),
  user: Type.String(),
  created_at: nullable("UTC time of the login; null where it is not known, as after a restore"),
  last_used_at: Type.String({ description: "UTC" }),
  expires_at: Type.String({ description: "UTC" }),
  address: nullable("Where the login came from"),
  user_agent: nullable("The User-Agent of the login"),
  current: Type.Boolean({ description: "Whether it is the login of this request" }),
});

export interface SessionRoutesDeps {
  auth: Pick<Auth, "sessions" | "users">;
  callers: Pick<Callers, "of">;
}

export function sessionRoutes({ auth, callers }: SessionRoutesDeps) {
  const tag = "auth";
  return new Elysia({ prefix: "/auth/sessions" })
    .get(
      "",
      function listSessions({ query: { user }, request }) {
        const identity = callers.of(request);
        return auth.sessions.list(userIdFor(identity, user)).map((session) => sessionBody(session, identity));
      },
      {
        query: t.Object(
          { user: t.Optional(t.String({ description: "A username; all users where absent, for administrators" })) },
          { additionalProperties: false },
        ),
        ...doc({
          access: "viewer",
          summary: "Your logins, the latest used first; for administrators those of all users",
          tag,
          answers: { 200: { description: "For each user, the 100 used last", schema: Type.Array(Session) } },
          refusals: { not_found: "There is no such user", forbidden: "The sessions of others need the role admin" },
        }),
      },
    )
    .delete(
      "/:id",
      function endSession({ params, request }) {
        const { id, role } = callers.of(request);
        return noContent(() => auth.sessions.end(params.id, allows(role, "admin") ? undefined : id));
      },
      doc({
        access: "viewer",
        audit: "session.end",
        summary: "End a login: its token and its streams",
        tag,
        answers: { 204: { description: "Ended" } },
        refusals: { not_found: "There is no such session, or it is not yours" },
      }),
    );

  /** The user whose sessions are listed; undefined for those of all users. */
  function userIdFor(identity: Identity, name: string | undefined): string | undefined {
    if (!allows(identity.role, "admin")) {
      const isOwn = name === undefined || name.toLowerCase() === identity.name.toLowerCase();
      if (!isOwn) throw new HubError("forbidden", "the sessions of others need the role admin");
      // API keys and whitelisted addresses have no sessions, so their ids match none.
      return identity.id;
    }
    if (name === undefined) return undefined;
    const user = auth.users.get(name);
    if (!user) throw new HubError("not_found", `there is no user "${name}"`);
    return user.id;
  }
}

function sessionBody(session: LoginSession, { session: current }: Identity) {
  const { id, username, createdAt, lastUsedAt, expiresAt, address, userAgent } = session;
  return {
    id,
    user: username,
    created_at: createdAt === undefined ? null : isoSeconds(createdAt),
    last_used_at: isoSeconds(lastUsedAt),
    expires_at: isoSeconds(expiresAt),
    address: address ?? null,
    user_agent: userAgent ?? null,
    current: id === current,
  };
}
