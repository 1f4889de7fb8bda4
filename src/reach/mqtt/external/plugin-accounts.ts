// Accounts of the plugins that the hub runs, at an external broker: they are made there by a person. Here each is tried when its
// plugin starts, so that a wrong password or a missing right is reported in words.
import { background, within } from "../../../kit/lifecycle/lifecycle.ts";
import type { Log } from "../../../kit/lifecycle/log.ts";
import { HubError } from "../../../kit/schema/errors.ts";
import type { Clock } from "../../../kit/time/clock.ts";
import type { PluginGrant } from "../accounts/accounts.ts";
import { missingPassword } from "./config.ts";
import { openConnection } from "./connection.ts";
import type { Endpoint } from "./endpoint.ts";
import { connectError, PublishError } from "./failure.ts";

export interface PluginAccountsOptions {
  /** Of the node that the hub uses. */
  endpoint: () => Endpoint;
  prefix: string;
  clock: Clock;
  log: Log;
  maxPacketBytes: number;
}

const ARRIVES_MS = 3000;

export class PluginAccounts {
  readonly #options: PluginAccountsOptions;
  readonly #problems = new Map<string, string>();
  /** The passwords of those that were not found right yet; also of plugins that ended, perhaps because of that. */
  readonly #untried = new Map<string, string | undefined>();
  #isConnected = false;
  /** By plugin: called when its try arrives at the hub. */
  readonly #tried = new Map<string, () => void>();

  constructor(options: PluginAccountsOptions) {
    this.#options = options;
  }

  /** Its password. Throws HubError `config` where the plugin has none and needs one. */
  issue(pluginId: string, { password }: Partial<PluginGrant> = {}): string {
    const { endpoint, log } = this.#options;
    if (password === undefined && endpoint().login.username !== undefined)
      throw new HubError("config", missingPassword(pluginId));
    this.#untried.set(pluginId, password);
    if (this.#isConnected) background(log, "try of a plugin's account", this.#try(pluginId, password));
    return password ?? "";
  }

  /** Only now can the hub receive what a plugin's account publishes. */
  connected(): void {
    this.#isConnected = true;
    for (const [id, password] of this.#untried)
      background(this.#options.log, "try of a plugin's account", this.#try(id, password));
  }

  disconnected(): void {
    this.#isConnected = false;
  }

  problems(): string[] {
    return [...this.#problems.values()];
  }

  topicOf(pluginId: string): string {
    return `${this.#options.prefix}/plugins/${pluginId}/_probe`;
  }

  /** Whether the message is a try of a plugin's account; nobody else needs it. */
  take(topic: string): boolean {
    if (!topic.endsWith("/_probe")) return false;
    const found = /^plugins\/([^/]+)\/_probe$/.exec(topic.slice(this.#options.prefix.length + 1))?.[1];
    if (found === undefined) return false;
    this.#tried.get(found)?.();
    return true;
  }

  async #try(pluginId: string, password: string | undefined): Promise<void> {
    const problem = await this.#problemOf(pluginId, password);
    if (!this.#isConnected || !this.#untried.has(pluginId)) return;
    if (problem === undefined) {
      this.#problems.delete(pluginId);
      this.#untried.delete(pluginId);
      return;
    }
    if (this.#problems.get(pluginId) !== problem) this.#options.log.error(problem);
    this.#problems.set(pluginId, problem);
  }

  async #problemOf(pluginId: string, password: string | undefined): Promise<string | undefined> {
    const { clock, maxPacketBytes } = this.#options;
    const endpoint = this.#options.endpoint();
    const arrived = Promise.withResolvers<void>();
    this.#tried.set(pluginId, arrived.resolve);
    try {
      const connection = await openConnection({
        ...{ clock, endpoint, maxPacketBytes, clientId: `hub-plugin-${pluginId}-probe`, clean: true, sessionSecs: 0 },
        login: { username: pluginId, password: password ?? "" },
        onMessage() {},
      });
      try {
        await connection.publish({ topic: this.topicOf(pluginId), payload: "", qos: 1, retain: false });
        if (await within(clock, ARRIVES_MS, "plugin account", arrived.promise)) return undefined;
      } finally {
        await connection.close();
      }
    } catch (error) {
      if (!(error instanceof PublishError)) {
        const { kind, message } = connectError(error);
        // Nothing is known of the account while the broker is away.
        if (kind !== "login") return undefined;
        return `the plugin "${pluginId}" cannot log in to the MQTT broker: ${message.replace(/: check username.*/, "")}; ${ENTER(pluginId)}`;
      }
    } finally {
      this.#tried.delete(pluginId);
    }
    return `the account "${pluginId}" of a plugin may not publish to ${this.topicOf(pluginId)}: ${rights(this.#options.prefix, pluginId)}`;
  }
}

const ENTER = (id: string): string =>
  `the broker needs an account "${id}" with the password that stands as password in its [[plugins]] entry`;

function rights(prefix: string, id: string): string {
  return `allow it there to read and write ${prefix}/plugins/${id}/# and ${prefix}/devices/#, and to read and write ${prefix}/events/#`;
}
