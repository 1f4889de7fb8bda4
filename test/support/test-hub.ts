// A whole hub inside the test's own process: real files, real sockets on free ports, a clock the test may hold.
import { mkdirSync } from "node:fs";
import { checkConfig } from "../../src/app/config/load.ts";
import { createHub, type HubOptions } from "../../src/app/hub.ts";
import { openLog } from "../../src/kit/lifecycle/log.ts";
import { type Clock, systemClock } from "../../src/kit/time/clock.ts";
import { homeAt } from "../../src/server/home/paths.ts";
import { watchAnswers } from "./documented.ts";
import { createTestPlatform, type TestPlatform } from "./platform.ts";
import { layOutOwnedStateDb, layOutStateDb } from "./state-db.ts";
import { openStreamClient, type StreamClient } from "./stream-client.ts";
import { createTemporaryFolder, type TemporaryFolder } from "./temporary-folder.ts";
import { until } from "./wait.ts";

export const JWT_SECRET = "a test's secret that is long enough to sign with";

export interface TestHub extends AsyncDisposable {
  readonly api: string;
  readonly mqttPort: number;
  readonly platform: TestPlatform;
  readonly admin: { username: string; password: string };
  readonly adminToken: string;
  request(
    method: string,
    path: string,
    options?: { token?: string; body?: unknown; headers?: Record<string, string> },
  ): Promise<Response>;
  /** A WebSocket of the event stream, with the administrator's token unless another is given. */
  openStream(query?: Record<string, string>, token?: string): Promise<StreamClient>;
  /** Logs in anew: the first token ends after a (virtual) day. */
  login(): Promise<string>;
  /** The header that says that the administrator has just given the password again. */
  confirmed(): Promise<Record<string, string>>;
  /** Makes a user and logs in. */
  tokenFor(role: "admin" | "user" | "viewer"): Promise<string>;
}

export interface TestHubOptions {
  /** TOML behind the test's own sections. */
  toml?: string;
  /** Keys of [server] and of [auth]. */
  server?: string;
  auth?: string;
  clock?: Clock;
  /** What the hub reaches the network with; refused unless given. */
  fetch?: typeof fetch;
  /** A home that outlives this hub: another one may be started in it. */
  folder?: TemporaryFolder;
  /** Who the administrator is, in a home that had a hub before. */
  admin?: { username: string; password: string };
  requestRestart?: HubOptions["requestRestart"];
  standing?: HubOptions["standing"];
  /** Which parts are off. */
  start?: HubOptions["start"];
  /** The hub makes its administrator itself, with a password that it prints; else there is one, whose password costs little to check. */
  isFirstStart?: boolean;
  /** False for a hub that may be replaced before anyone could log in; its `adminToken` is empty. */
  logsIn?: boolean;
}

export async function startTestHub({
  toml = "",
  server = "",
  auth = "",
  clock = systemClock,
  fetch: network,
  folder: given,
  admin: known,
  requestRestart = () => {},
  standing,
  start,
  isFirstStart = false,
  logsIn = true,
}: TestHubOptions = {}): Promise<TestHub> {
  await using stack = new AsyncDisposableStack();
  const folder = given ?? stack.use(createTemporaryFolder());
  const home = homeAt(folder.path);
  for (const path of [home.config, home.data, home.logs, home.rules, home.plugins])
    mkdirSync(path, { recursive: true });
  const owner = isFirstStart ? layOutStateDb(home.stateDb) : layOutOwnedStateDb(home.stateDb);
  const text = `[server]\nhost = "127.0.0.1"\nport = 0\n${server}\n[auth]\njwt_secret = "${JWT_SECRET}"\n${auth}\n[mqtt]\nport = 0\nanonymous = true\n${toml}`;
  const { config, problems } = checkConfig(text);
  if (!config) throw new Error(`the test's configuration: ${JSON.stringify(problems)}`);
  const platform = { ...createTestPlatform(clock), ...(network ? { fetch: network } : {}) };
  const { log } = stack.use(openLog({ clock, output: platform.stdout, level: "debug" }));
  let admin = known ?? owner ?? { username: "", password: "" };
  const hub = stack.use(
    await createHub({
      config,
      home,
      platform,
      log,
      version: "0.0.0-test",
      execPath: process.execPath,
      requestRestart,
      ...(standing && { standing }),
      ...(start && { start }),
      onFirstAdministrator: (made) => (admin = made),
    }),
  );
  const api = `http://127.0.0.1:${hub.httpPort}/api/v1`;

  const watch = watchAnswers(api);
  const request: TestHub["request"] = async (method, path, { token, body, headers } = {}) => {
    const response = await fetch(api + path, {
      method,
      headers: {
        ...(token ? { authorization: `Bearer ${token}` } : {}),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    watch.saw(method, path, response);
    return response;
  };
  const login = async (credentials: typeof admin): Promise<string> => {
    // While a hub finds out whether another machine is the hub of its house, it lets nobody in.
    const response = await until("the login is answered", async () => {
      const answer = await request("POST", "/auth/login", { body: credentials });
      return answer.status === 503 ? undefined : answer;
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`the login of ${credentials.username}: ${response.status} ${text}`);
    return (JSON.parse(text) as { token: string }).token;
  };
  const adminToken = logsIn ? await login(admin) : "";
  let users = 0;
  const parts = stack.move();
  return {
    api,
    mqttPort: hub.mqttPort,
    platform,
    admin,
    adminToken,
    request,
    openStream: (query = {}, token = adminToken) =>
      openStreamClient(`${api.replace("http", "ws")}/events/stream?${new URLSearchParams({ token, ...query })}`),
    login: () => login(admin),
    async confirmed() {
      const { password } = admin;
      const answer = await request("POST", "/auth/confirm", { token: adminToken, body: { password } });
      return { "x-hub-confirmation": ((await answer.json()) as { confirmation: string }).confirmation };
    },
    async tokenFor(role) {
      const user = { username: `${role}-${++users}`, password: `password of ${role}` };
      await request("POST", "/auth/users", { token: adminToken, body: { ...user, role } });
      return login(user);
    },
    async [Symbol.asyncDispose]() {
      // What is still being read of an answer ends before its hub does.
      const checked = watch.check().catch((error: unknown) => error);
      await parts.disposeAsync();
      const problem = await checked;
      if (problem) throw problem;
    },
  };
}
