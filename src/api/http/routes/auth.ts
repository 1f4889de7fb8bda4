// /auth: logging in, the caller's own identity, and changing the own password.
import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { secondsAsText } from "../../../kit/time/clock.ts";
import type { Auth } from "../../../server/auth/auth.ts";
import type { LoggedIn as Login } from "../../../server/auth/login.ts";
import { NewPassword } from "../../../server/auth/passwords.ts";
import { Role } from "../../../server/auth/roles.ts";
import { jsonBody } from "../body.ts";
import type { Callers, PeerSource } from "../callers.ts";
import { doc } from "../doc.ts";

const closed = { additionalProperties: false } as const;
// It is in memory before anybody is known.
const MAX_LOGIN_BYTES = 64 * 1024;
const Credentials = Type.Object(
  { username: Type.String({ maxLength: 256 }), password: Type.String({ maxLength: 1024 }) },
  closed,
);
const PasswordChange = Type.Object(
  { current_password: Type.String({ maxLength: 1024 }), new_password: NewPassword },
  closed,
);
const Password = Type.Object({ password: Type.String({ maxLength: 1024 }) }, closed);
const Confirmed = Type.Object({
  confirmation: Type.String({ description: "For the header X-Hub-Confirmation" }),
  expires_in: Type.Integer({ description: "Seconds" }),
});
const PasswordIsInitial = Type.Boolean({
  description: "The password is still the one that was printed at the first start: ask for another",
});
const LoggedIn = Type.Object({
  token: Type.String({ description: "JWT" }),
  token_type: Type.Literal("Bearer"),
  expires_in: Type.Integer({ description: "Seconds" }),
  user: Type.Object({ id: Type.String(), username: Type.String(), role: Role }),
  password_is_initial: PasswordIsInitial,
});
const Me = Type.Object({
  id: Type.String(),
  username: Type.String(),
  role: Role,
  kind: Type.Union([Type.Literal("user"), Type.Literal("api_key"), Type.Literal("whitelist")]),
  expires_at: Type.Union([Type.String(), Type.Null()]),
  password_is_initial: PasswordIsInitial,
});

export interface AuthRoutesDeps {
  auth: Pick<Auth, "login" | "renew" | "confirm" | "changePassword" | "hasInitialPassword">;
  callers: Pick<Callers, "addressOf" | "of">;
}

export function authRoutes({ auth, callers }: AuthRoutesDeps) {
  const addressOf = (request: Request, server: PeerSource | null): string => callers.addressOf(request, server);
  const loggedInBody = ({ token, expiresIn, user }: Login) => ({
    ...{ token, token_type: "Bearer", expires_in: expiresIn, user },
    password_is_initial: auth.hasInitialPassword(user.username),
  });
  const iso = secondsAsText();
  return new Elysia({ prefix: "/auth" })
    .post(
      "/login",
      async function login({ body, request, server }) {
        const userAgent = request.headers.get("user-agent") ?? "";
        return loggedInBody(await auth.login(body.username, body.password, addressOf(request, server), userAgent));
      },
      {
        ...jsonBody(Credentials),
        ...doc({
          access: "public",
          maxBody: MAX_LOGIN_BYTES,
          keeps: false,
          summary: "Obtain a token",
          tag: "auth",
          answers: { 200: { description: "A token", schema: LoggedIn } },
          refusals: {
            unauthenticated: "Wrong username or password",
            rate_limited: "Too many wrong passwords from this address",
            unavailable: "Too many logins at once",
          },
        }),
      },
    )
    .post(
      "/renew",
      async function renew({ request }) {
        return loggedInBody(await auth.renew(callers.of(request)));
      },
      doc({
        access: "viewer",
        keeps: false,
        summary: "Obtain another token for the same login, before the one you have ends",
        tag: "auth",
        answers: {
          200: { description: "A token; the one it was asked for with stays valid until its end", schema: LoggedIn },
        },
        refusals: { forbidden: "The caller has not logged in, but has an API key or a whitelisted address" },
      }),
    )
    .get(
      "/me",
      function me({ request }) {
        const { id, name, role, kind, expiresAt } = callers.of(request);
        return {
          ...{ id, username: name, role, kind },
          expires_at: expiresAt === undefined ? null : iso(expiresAt),
          password_is_initial: kind === "user" && auth.hasInitialPassword(name),
        };
      },
      doc({
        access: "viewer",
        summary: "The user or key that the token belongs to",
        tag: "auth",
        answers: { 200: { description: "The caller", schema: Me } },
      }),
    )
    .post(
      "/confirm",
      async function confirm({ body, request, server, set }) {
        set.headers["cache-control"] = "no-store";
        const { confirmation, expiresIn } = await auth.confirm(
          callers.of(request),
          body.password,
          addressOf(request, server),
        );
        return { confirmation, expires_in: expiresIn };
      },
      {
        ...jsonBody(Password),
        ...doc({
          access: "viewer",
          acts: false,
          summary:
            "Give your own password again, as what puts programs on the machine or replaces the house asks for it",
          tag: "auth",
          answers: { 200: { description: "Good for such requests, for five minutes", schema: Confirmed } },
          refusals: {
            forbidden: "The password is wrong, or the caller has none",
            rate_limited: "Too many wrong passwords from this address",
            unavailable: "Too many logins at once",
          },
        }),
      },
    )
    .post(
      "/change-password",
      async function changePassword({ body, request, server }) {
        await auth.changePassword(
          callers.of(request),
          body.current_password,
          body.new_password,
          addressOf(request, server),
        );
        return new Response(null, { status: 204 });
      },
      {
        ...jsonBody(PasswordChange),
        ...doc({
          access: "viewer",
          audit: "password.change",
          summary: "Change your own password; ends all your tokens",
          tag: "auth",
          answers: { 204: { description: "Changed" } },
          refusals: {
            forbidden: "The current password is wrong, or the caller has none",
            conflict: "The account was changed meanwhile",
            rate_limited: "Too many wrong passwords from this address",
            unavailable: "Too many logins at once",
          },
        }),
      },
    );
}
