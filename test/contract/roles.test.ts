// Who may call each operation, found out by calling it: without a token, as each role and as the standby, from the least rights
// on. What the document says (`x-access`) is held to what was found.
import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { homeAt } from "../../src/server/home/paths.ts";
import { type DocumentedRoute, fetchDocument } from "../support/documented.ts";
import {
  addressOf,
  createSamples,
  layOutOneOfEach,
  makeOneOfEach,
  nameIn,
  ONE_OF_EACH_TOML,
} from "../support/one-of-each.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";
import { JWT_SECRET, startTestHub, type TestHub } from "../support/test-hub.ts";

const ROLES = ["viewer", "user", "admin"] as const;
type Role = (typeof ROLES)[number];
const OTHER_MACHINE = { id: "machine-b", name: "attic", address: "" };

/** What ends the token it is called with, and what removes things, comes last. */
const lateness = ({ method, path }: DocumentedRoute): number =>
  /logout|sessions|change-password/.test(path) ? 2 : method === "DELETE" ? 1 : 0;

async function people(hub: TestHub) {
  const of = async (role: "viewer" | "user") => {
    const account = { username: `one-${role}`, password: `password of ${role}`, role };
    await hub.request("POST", "/auth/users", { token: hub.adminToken, body: account, headers: await hub.confirmed() });
    return account;
  };
  const accounts = { viewer: await of("viewer"), user: await of("user"), admin: hub.admin };
  const login = async (role: Role): Promise<string> => {
    const { username, password } = accounts[role];
    const answer = await hub.request("POST", "/auth/login", { body: { username, password } });
    return ((await answer.json()) as { token: string }).token;
  };
  return { accounts, login };
}

test("x-access says of every operation who may call it", async () => {
  using folder = createTemporaryFolder();
  layOutOneOfEach(folder);
  const server = "max_anonymous_requests_per_second = 1000000\n";
  await using hub = await startTestHub({ toml: ONE_OF_EACH_TOML, folder, server });
  const api = await fetchDocument(hub.api);
  await makeOneOfEach(hub, api);
  const { accounts, login } = await people(hub);
  const samples = createSamples(api);

  /** A wrong password is refused in the same way as a wrong role. */
  function bodyOf({ path, ...route }: DocumentedRoute, role: Role): unknown {
    const { username, password } = accounts[role];
    if (path.endsWith("/auth/login")) return { username, password };
    if (path.endsWith("/auth/confirm")) return { password };
    if (path.endsWith("/auth/change-password")) return { current_password: password, new_password: password };
    return route.operation.requestBody ? samples.bodyThatFits({ path, ...route }) : undefined;
  }

  const confirmed = await hub.confirmed();
  async function lets(route: DocumentedRoute, role: Role, token?: string): Promise<boolean> {
    const body = bodyOf(route, role);
    const name = route.path.includes("{") ? nameIn(route.path) : "";
    const answer = await hub.request(route.method, addressOf(route, name), {
      ...(token !== undefined && { token }),
      ...(body !== undefined && { body: body as object }),
      headers: token === undefined || role !== "admin" ? {} : confirmed,
    });
    void answer.body?.cancel();
    return answer.status !== 401 && answer.status !== 403;
  }

  const tokens = new Map<Role, string>();
  async function foundFor(route: DocumentedRoute): Promise<string> {
    if (await lets(route, "viewer")) return "public";
    for (const role of ROLES) {
      const token = tokens.get(role) ?? (await login(role));
      tokens.set(role, token);
      if (!(await lets(route, role, token))) continue;
      if (lateness(route) === 2) tokens.clear();
      return role;
    }
    return "key";
  }
  // By now the administrator's first token has ended, and the configuration was replaced.
  async function standbyKey(): Promise<string> {
    writeFileSync(homeAt(folder.path).hubToml, `[auth]\njwt_secret = "${JWT_SECRET}"\n`);
    const body = { machine: OTHER_MACHINE, replace: true };
    const paired = await hub.request("POST", "/standby/pair", { token: await hub.login(), body });
    return ((await paired.json()) as { key: string }).key;
  }

  const found: Record<string, string> = {};
  for (const route of [...api.routes].sort((a, b) => lateness(a) - lateness(b)))
    found[route.name] = await foundFor(route);
  expect(Object.fromEntries(api.routes.map(({ name, operation }) => [name, String(operation["x-access"])]))).toEqual(
    found,
  );
  const byKey = api.routes.filter(({ name }) => found[name] === "key");
  expect(byKey).toHaveLength(5);
  // The keys of plugins are lent to programs: see test/system/plugin-api.test.ts.
  for (const route of byKey.filter(({ path }) => path.startsWith("/api/v1/standby/")))
    expect({ name: route.name, lets: await lets(route, "viewer", await standbyKey()) }).toEqual({
      ...{ name: route.name, lets: true },
    });
}, 120_000);
