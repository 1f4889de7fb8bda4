// What the hub passes to a plugin at its start: argv and HUB_* variables.

/** `ca`: certificates (PEM) that the broker's is checked with; those of the system if undefined. */
export interface Tls {
  ca: string | undefined;
}

export interface Environment {
  pluginId: string;
  host: string;
  port: number;
  /** Where the broker wants an encrypted connection. */
  tls: Tls | undefined;
  username: string;
  password: string | undefined;
  /** Unique for each plugin. */
  clientId: string;
  /** First part of every topic. */
  prefix: string;
  configPath: string | undefined;
}

/** `args` are the arguments without runtime and script. Throws one error with all problems. */
export function readEnvironment(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Environment {
  const problems: string[] = [];
  const pluginId = env.HUB_PLUGIN_ID || env.HUB_MQTT_USERNAME || "";
  if (!pluginId) problems.push("HUB_PLUGIN_ID is not set: the id of this plugin in the hub's [[plugins]]");
  else if (/[/+#]/.test(pluginId)) problems.push("HUB_PLUGIN_ID must not contain / + or #");
  const port = Number(env.HUB_MQTT_PORT || 1883);
  if (!Number.isInteger(port) || port < 1 || port > 65_535) problems.push("HUB_MQTT_PORT must be from 1 to 65535");
  const scheme = /^(\w+):/.exec(env.HUB_MQTT_URL || "mqtt:")?.[1];
  if (scheme !== "mqtt" && scheme !== "mqtts")
    problems.push(`the broker is at ${env.HUB_MQTT_URL}, but this plugin speaks mqtt:// and mqtts:// only`);
  if (problems.length > 0) throw new Error(problems.join("; "));

  return {
    pluginId,
    host: env.HUB_MQTT_HOST || "127.0.0.1",
    port,
    tls: scheme === "mqtts" ? { ca: env.HUB_MQTT_CA || undefined } : undefined,
    username: env.HUB_MQTT_USERNAME || pluginId,
    password: env.HUB_MQTT_PASSWORD,
    clientId: env.HUB_MQTT_CLIENT_ID || `plugin-${pluginId}`,
    prefix: env.HUB_TOPIC_PREFIX || "hub",
    configPath: args[0] || env.HUB_PLUGIN_CONFIG || undefined,
  };
}
