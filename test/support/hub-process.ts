// The compiled hub as a running process, with the clients a system test needs.
import { connectAsync, type IClientOptions, type MqttClient } from "mqtt";
import type { Administrator } from "./prepared-home.ts";
import { openStreamClient, type StreamClient } from "./stream-client.ts";
import { soon, until } from "./wait.ts";

/** May publish and subscribe to everything. */
export const MQTT_ACCOUNT = { username: "tester", password: "mqtt-password-of-the-tester" };

/** Another one than that of the tests: a network of its own. */
export interface OtherMachine {
  readonly address: string;
  /** The same command, run there. */
  on(command: readonly string[]): string[];
}

/** What of a place the process needs. */
export interface Whereabouts {
  readonly home: string;
  readonly cwd: string;
  readonly binary: string;
  /** Where it runs, and how it is reached there; this machine, at 127.0.0.1, without it. */
  readonly machine?: OtherMachine | undefined;
  /** The first administrator, once a start has reported. */
  admin: Administrator | undefined;
}

export interface StartOptions {
  env?: Record<string, string>;
  args?: string[];
}

export interface Answer {
  status: number;
  headers: Headers;
  text: string;
  json<T = Record<string, unknown>>(): T;
}

export interface RequestOptions {
  /** A bearer token; `null` sends none. The administrator's by default. */
  token?: string | null;
  body?: unknown;
  headers?: Record<string, string>;
}

export interface HubProcess extends AsyncDisposable {
  readonly pid: number;
  /** Everything on stdout and stderr so far. */
  readonly output: string;
  readonly exited: Promise<number>;
  readonly port: number;
  readonly mqttPort: number;
  /** `http://127.0.0.1:PORT/api/v1`, or at the address of its machine */
  readonly api: string;
  /** Waits for "the hub is up"; throws with the output when it ends instead. */
  up(): Promise<void>;
  /** Waits for text in the output. */
  said(text: string | RegExp, timeoutMs?: number): Promise<void>;
  login(username: string, password: string): Promise<Answer>;
  /** The administrator's token. */
  adminToken(): Promise<string>;
  /** The header that says that the administrator has just given the password again. */
  confirmed(): Promise<Record<string, string>>;
  request(method: string, path: string, options?: RequestOptions): Promise<Answer>;
  get<T>(path: string): Promise<T>;
  /** `query` without the token, which is the administrator's unless `token` says otherwise. */
  openStream(query?: Record<string, string>, token?: string): Promise<StreamClient>;
  /** A connected client, of the all-powerful account unless named. */
  mqtt(options?: IClientOptions): Promise<MqttClient>;
  kill(signal: NodeJS.Signals): void;
  /** Ends it, by SIGKILL in the end. */
  end(): Promise<void>;
}

/** This machine. */
export const HERE: OtherMachine = { address: "127.0.0.1", on: (command) => [...command] };

export function spawnHub(place: Whereabouts, { env = {}, args = ["serve"] }: StartOptions = {}): HubProcess {
  const { address, on } = place.machine ?? HERE;
  const child = Bun.spawn(on([place.binary, ...args]), {
    cwd: place.cwd,
    env: { PATH: process.env.PATH ?? "", HUB_HOME: place.home, ...env },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  let output = "";
  const decode = async (stream: ReadableStream<Uint8Array>): Promise<void> => {
    const decoder = new TextDecoder();
    for await (const chunk of stream) output += decoder.decode(chunk, { stream: true });
  };
  const read = Promise.all([decode(child.stdout), decode(child.stderr)]);
  const clients: MqttClient[] = [];
  const streams: StreamClient[] = [];
  let adminToken: Promise<string> | undefined;
  // A hub that started again in its process may have another one.
  const portIn = (line: RegExp): number => Number([...output.matchAll(line)].at(-1)?.[1] ?? 0);

  async function tokenOf(admin: Administrator = { username: "nobody", password: "known" }): Promise<string> {
    if (admin.token) return admin.token();
    return (await hub.login(admin.username, admin.password)).json<{ token: string }>().token;
  }

  const hub: HubProcess = {
    pid: child.pid,
    get output() {
      return output;
    },
    exited: child.exited.then(async (code) => {
      await soon("the output ends", read, 2000).catch(() => {});
      return code;
    }),
    get port() {
      return portIn(/the API answers .*?port=(\d+)/g);
    },
    get mqttPort() {
      return portIn(/the MQTT broker listens .*?port=(\d+)/g);
    },
    get api() {
      return `http://${address}:${hub.port}/api/v1`;
    },
    async up() {
      await until("the hub is up", () => output.includes("the hub is up") || child.exitCode !== null, {
        everyMs: 5,
      }).catch((error: unknown) => {
        throw new Error(`${error}\n${output}`);
      });
      if (child.exitCode !== null) throw new Error(`the hub ended with ${child.exitCode}:\n${output}`);
      const [, username, password] = /^username: (\S+)\npassword: (\S+)$/m.exec(output) ?? [];
      if (username && password) place.admin = { username, password };
    },
    async said(text, timeoutMs) {
      const found = (): boolean => (typeof text === "string" ? output.includes(text) : text.test(output));
      await until(`the hub says ${text}`, found, timeoutMs === undefined ? {} : { timeoutMs }).catch(
        (error: unknown) => {
          throw new Error(`${error}\n${output.slice(-4000)}`);
        },
      );
    },
    login: (username, password) => hub.request("POST", "/auth/login", { token: null, body: { username, password } }),
    adminToken() {
      adminToken ??= tokenOf(place.admin).catch((error: unknown) => {
        adminToken = undefined;
        throw error;
      });
      return adminToken;
    },
    async confirmed() {
      const answer = await hub.request("POST", "/auth/confirm", { body: { password: place.admin?.password } });
      if (answer.status !== 200) throw new Error(`confirming answers ${answer.status}: ${answer.text}`);
      return { "x-hub-confirmation": answer.json<{ confirmation: string }>().confirmation };
    },
    async request(method, path, { token, body, headers = {} } = {}) {
      const bearer = token === undefined ? await hub.adminToken() : token;
      const response = await fetch(hub.api + path, {
        method,
        headers: {
          ...(bearer === null ? {} : { authorization: `Bearer ${bearer}` }),
          ...(body === undefined ? {} : { "content-type": "application/json" }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
        signal: AbortSignal.timeout(45_000),
      });
      const text = await response.text();
      return { status: response.status, headers: response.headers, text, json: () => JSON.parse(text) };
    },
    async get(path) {
      const answer = await hub.request("GET", path);
      if (answer.status !== 200) throw new Error(`GET ${path} answers ${answer.status}: ${answer.text}`);
      return answer.json();
    },
    async openStream(query = {}, token) {
      const search = new URLSearchParams({ token: token ?? (await hub.adminToken()), ...query });
      const stream = await openStreamClient(`ws://${address}:${hub.port}/api/v1/events/stream?${search}`);
      streams.push(stream);
      return stream;
    },
    async mqtt(options = {}) {
      const client = await connectAsync({
        ...{ host: address, port: hub.mqttPort, reconnectPeriod: 0, connectTimeout: 45_000, ...MQTT_ACCOUNT },
        ...options,
      });
      client.on("error", () => {});
      clients.push(client);
      return client;
    },
    kill: (signal) => void child.kill(signal),
    async end() {
      for (const client of clients) client.end(true);
      for (const stream of streams) stream[Symbol.dispose]();
      if (child.exitCode === null && child.signalCode === null) child.kill("SIGTERM");
      const ended = await soon("the hub ends", child.exited, 15_000).catch(() => undefined);
      if (ended === undefined) child.kill("SIGKILL");
      await child.exited;
    },
    [Symbol.asyncDispose]: () => hub.end(),
  };
  return hub;
}
