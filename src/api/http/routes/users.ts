// /auth/users: the accounts.
import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { HubError } from "../../../kit/schema/errors.ts";
import { isoSeconds } from "../../../kit/time/clock.ts";
import type { UserAccounts } from "../../../server/auth/auth.ts";
import { NewPassword } from "../../../server/auth/passwords.ts";
import { Role } from "../../../server/auth/roles.ts";
import { Username, type User as UserRecord } from "../../../server/auth/users.ts";
import { jsonBody } from "../body.ts";
import { type Callers, CONFIRMATION_HEADER } from "../callers.ts";
import { created, noContent } from "../crud.ts";
import { doc } from "../doc.ts";

const closed = { additionalProperties: false } as const;
const User = Type.Object(
  { id: Type.String(), username: Type.String(), role: Role, created_at: Type.String() },
  { $id: "User" },
);
const NewUser = Type.Object({ username: Username, password: NewPassword, role: Role }, closed);
const UserEdit = Type.Object(
  { role: Type.Optional(Role), password: Type.Optional(NewPassword) },
  { ...closed, minProperties: 1 },
);

export interface UserRoutesDeps {
  auth: { readonly users: UserAccounts };
  callers: Pick<Callers, "isConfirmed">;
}

export function userRoutes({ auth: { users }, callers }: UserRoutesDeps) {
  const tag = "auth";
  const description = "From POST /auth/confirm. Without it, the account cannot confirm what needs the password again";
  const readsElsewhere = [{ in: "header", name: CONFIRMATION_HEADER, description, schema: Type.String() }] as const;
  return new Elysia({ prefix: "/auth/users" })
    .get(
      "",
      () => users.list().map(userBody),
      doc({
        access: "admin",
        summary: "All users",
        tag,
        answers: { 200: { description: "The users", schema: Type.Array(User) } },
      }),
    )
    .post(
      "",
      async function createUser({ body, request, set }) {
        return created(set, userBody(await users.create(body, { isConfirmed: callers.isConfirmed(request) })));
      },
      {
        ...jsonBody(NewUser),
        ...doc({
          access: "admin",
          needsToken: true,
          audit: "user.create",
          summary: "Make a user",
          tag,
          answers: { 201: { description: "The user", schema: User } },
          readsElsewhere,
          refusals: {
            conflict: "The username is taken, or there are too many users",
            unavailable: "Too many logins at once",
          },
        }),
      },
    )
    .get(
      "/:name",
      ({ params }) => userBody(found(users, params.name)),
      doc({
        access: "admin",
        summary: "One user",
        tag,
        answers: { 200: { description: "The user", schema: User } },
      }),
    )
    .patch(
      "/:name",
      async function editUser({ params, body, request }) {
        const by = { isConfirmed: callers.isConfirmed(request) };
        found(users, params.name);
        // First what may be refused: a conflict must not leave the password changed.
        if (body.role !== undefined) users.setRole(params.name, body.role, by);
        if (body.password !== undefined) await users.setPassword(params.name, body.password, by);
        return userBody(found(users, params.name));
      },
      {
        ...jsonBody(UserEdit),
        ...doc({
          access: "admin",
          needsToken: true,
          audit: "user.change",
          summary: "Change role or password; ends the user's tokens",
          tag,
          answers: { 200: { description: "The user", schema: User } },
          readsElsewhere,
          refusals: { conflict: "It is the last administrator", unavailable: "Too many logins at once" },
        }),
      },
    )
    .delete(
      "/:name",
      ({ params }) => noContent(() => users.remove(params.name)),
      doc({
        access: "admin",
        needsToken: true,
        audit: "user.remove",
        summary: "Remove a user",
        tag,
        answers: { 204: { description: "Removed" } },
        refusals: { conflict: "It is the last administrator" },
      }),
    );
}

function found(users: UserAccounts, name: string): UserRecord {
  const user = users.get(name);
  if (!user) throw new HubError("not_found", `there is no user "${name}"`);
  return user;
}

function userBody({ id, username, role, createdAt }: UserRecord) {
  return { id, username, role, created_at: isoSeconds(createdAt) };
}
