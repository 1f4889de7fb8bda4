// A compiled hub in a home that a benchmark prepared: keys of its own in hub.toml, files that are there before the start,
// and more than one start. The rest is as in hub-under-test.ts.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { type Child, startChild } from "./child.ts";
import { writeHome } from "./hub-under-test.ts";

export interface PreparedHub extends AsyncDisposable {
  readonly pid: number;
  readonly port: number;
  readonly mqttPort: number;
  readonly token: string;
  get<T>(path: string): Promise<T>;
  post(path: string, body: unknown): Promise<void>;
}

export interface PreparedHome {
  readonly folder: string;
  /** Where the hub keeps what was. */
  readonly historyDb: string;
  /** Starts it and logs in. */
  start(binary: string, env?: Record<string, string>): Promise<PreparedHub>;
}

/** `toml` is added to hub.toml: whole sections. */
export function prepareHome(folder: string, toml: string, { asShipped = false, mayAll = false } = {}): PreparedHome {
  writeHome({ folder, toml, asShipped, mayAll });
  mkdirSync(join(folder, "data"), { recursive: true });
  // Reported once, at the first start.
  let password: string | undefined;
  return {
    folder,
    historyDb: join(folder, "data", "history.db"),
    async start(binary, env) {
      const child = startChild([binary, "serve", "--home", folder], env);
      try {
        const [port, mqttPort] = await child.printed(
          /the API answers .*port=(\d+)/,
          /the MQTT broker listens .*port=(\d+)/,
          /the hub is (up)/,
        );
        password ??= /^password: (\S+)/m.exec(child.output())?.[1];
        return await handleOf(child, { port: Number(port), mqttPort: Number(mqttPort), password });
      } catch (error) {
        await child[Symbol.asyncDispose]();
        throw error;
      }
    },
  };
}

interface Doors {
  port: number;
  mqttPort: number;
  password: string | undefined;
}

async function handleOf(child: Child, { port, mqttPort, password }: Doors): Promise<PreparedHub> {
  const api = `http://127.0.0.1:${port}/api/v1`;
  const json = async <T>(path: string, init: RequestInit): Promise<T> => {
    const answer = await fetch(`${api}${path}`, init);
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return (await answer.json()) as T;
  };
  const { token } = await json<{ token: string }>("/auth/login", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ username: "admin", password }),
  });
  return {
    pid: child.pid,
    port,
    mqttPort,
    token,
    get: (path) => json(path, { headers: { authorization: `Bearer ${token}` } }),
    async post(path, body) {
      const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
      await json(path, { method: "POST", headers, body: JSON.stringify(body) });
    },
    [Symbol.asyncDispose]: () => child[Symbol.asyncDispose](),
  };
}
