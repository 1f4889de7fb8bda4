// The environment of a plugin's process: an allow-list, so that it inherits only those of the hub's variables that are named here.

const INHERITED = ["PATH", "HOME", "LANG", "TZ", "TMPDIR"] as const;
const DEFAULT_PATH = "/usr/local/bin:/usr/bin:/bin";

const OWN = [
  "HUB_HOME",
  "HUB_PLUGIN_ID",
  "HUB_PLUGIN_CONFIG",
  "HUB_MQTT_URL",
  "HUB_MQTT_CA",
  "HUB_MQTT_HOST",
  "HUB_MQTT_PORT",
  "HUB_MQTT_USERNAME",
  "HUB_MQTT_PASSWORD",
  "HUB_MQTT_CLIENT_ID",
  "HUB_TOPIC_PREFIX",
  "HUB_API_URL",
  "HUB_API_TOKEN",
] as const;
type Own = (typeof OWN)[number];

/** The variables that values of the entry's `env` table may refer to as `${…}`. */
export const EXPANDABLE: ReadonlySet<string> = new Set([...OWN, ...INHERITED]);

const REFERENCE = /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g;

/** The broker that plugins connect to. */
export interface PluginBroker {
  host: string;
  port: number;
  prefix: string;
  /** Where it is not the hub's own. `ca`: certificates (PEM) that it is checked with. */
  external?: { url: string; ca(): string | undefined } | undefined;
}

export interface EnvironmentOptions {
  /** The hub's own environment. */
  env: Readonly<Record<string, string | undefined>>;
  entry: { id: string; env: Readonly<Record<string, string>> };
  home: string;
  config: string;
  broker: PluginBroker;
  password: string;
  /** Undefined where it may not use the API. */
  api: ApiAccess | undefined;
}

export interface ApiAccess {
  /** `http://127.0.0.1:8080/api/v1`. */
  url: string;
  token: string;
}

export function pluginEnvironment(options: EnvironmentOptions): Record<string, string> {
  const { entry, broker } = options;
  const own: Partial<Record<Own, string>> = {
    ...(broker.external && externalVariables(broker.external)),
    HUB_HOME: options.home,
    HUB_PLUGIN_ID: entry.id,
    HUB_PLUGIN_CONFIG: options.config,
    HUB_MQTT_HOST: reachable(broker.host),
    HUB_MQTT_PORT: String(broker.port),
    HUB_MQTT_USERNAME: entry.id,
    HUB_MQTT_PASSWORD: options.password,
    // The broker reserves it for this plugin.
    HUB_MQTT_CLIENT_ID: `hub-plugin-${entry.id}`,
    HUB_TOPIC_PREFIX: broker.prefix,
    ...(options.api ? { HUB_API_URL: options.api.url, HUB_API_TOKEN: options.api.token } : {}),
  };
  const known: Record<string, string> = { ...inherited(options.env), ...own };
  const extra = Object.entries(entry.env).map(([name, value]) => [name, expand(value, known)]);
  return { ...known, ...Object.fromEntries(extra), ...own };
}

function externalVariables({ url, ca }: NonNullable<PluginBroker["external"]>): Partial<Record<Own, string>> {
  const certificates = ca();
  return { HUB_MQTT_URL: url, ...(certificates !== undefined && { HUB_MQTT_CA: certificates }) };
}

export function referencesIn(value: string): string[] {
  return [...value.matchAll(REFERENCE)].map((match) => match[1] ?? "");
}

function expand(value: string, known: Readonly<Record<string, string>>): string {
  return value.replace(REFERENCE, (whole, name: string) => (EXPANDABLE.has(name) ? (known[name] ?? "") : whole));
}

function inherited(env: EnvironmentOptions["env"]): Record<string, string> {
  const names = Object.keys(env).filter((name) => name.startsWith("LC_") || INHERITED.some((known) => known === name));
  const found = names.flatMap((name) => {
    const value = env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return { PATH: DEFAULT_PATH, ...Object.fromEntries(found) };
}

// What listens on every address is reached through loopback.
export function reachable(host: string): string {
  return host === "0.0.0.0" || host === "::" || host === "[::]" || host === "" ? "127.0.0.1" : host;
}
