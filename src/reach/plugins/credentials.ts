// What a plugin comes in with: an account of the MQTT broker, and where its entry says so, a key for the API.
import type { PluginEntry } from "./config.ts";
import type { ApiAccess } from "./environment.ts";

/** What it comes in with: by MQTT, and by the API where it may. */
export interface Credentials {
  password: string;
  api: ApiAccess | undefined;
}

/** MQTT accounts: a new password for each start, unless the entry has a fixed one. */
export interface PluginAccounts {
  issue(id: string, grant: Pick<PluginEntry, "password" | "publish" | "subscribe">): string;
  revoke(id: string): void;
}

/** Keys for the API: a new one for each start. */
export interface PluginKeys {
  issue(id: string, role: NonNullable<PluginEntry["api"]>): ApiAccess;
  revoke(id: string): void;
}
