// Who may publish, subscribe to and receive which topics. Payloads are checked by the bridge.

import { HUB_PLUGIN_ID } from "../../../kit/schema/ids.ts";
import { hasWildcard, isTopicFilter, isTopicName, matchesFilter } from "../../../kit/text/topic-filter.ts";
import { isPluginMemory, type PluginSubtopic, parseTopic, type Topic } from "../topics.ts";
import type { Account } from "./accounts.ts";

export interface Rights {
  mayPublish(account: Account, name: string, topic: Topic): boolean;
  maySubscribe(account: Account, filter: string): boolean;
  /** Called for every delivery. */
  mayReceive(account: Account, name: string): boolean;
}

/** The plugin a device belongs to. */
export type OwnerOf = (deviceId: string) => string | undefined;

const RECEIVED: ReadonlySet<PluginSubtopic> = new Set<PluginSubtopic>(["manage/cmd", "state"]);
// No real client publishes as more plugins.
const MAX_CLAIMS = 100;

export function createRights(prefix: string, ownerOf: OwnerOf): Rights {
  // One message has many receivers: its topic is parsed once.
  let last = { name: "", topic: parseTopic(prefix, "") };
  function parsed(name: string): Topic {
    if (last.name !== name) last = { name, topic: parseTopic(prefix, name) };
    return last.topic;
  }

  return {
    mayPublish(account, name, topic) {
      if (!isTopicName(name) || isMemoryOfAnother(account, topic)) return false;
      if (account.kind === "listed") return account.publish.some((pattern) => matchesFilter(pattern, name));
      if (name.startsWith("$")) return false;
      if (account.kind === "plugin" && matchesAny(account.publish, name)) return true;
      if (isFromHub(topic)) return false;
      return account.kind === "plugin"
        ? pluginPublishes(account.name, topic)
        : anonymousPublishes(account.claims, topic);
    },
    maySubscribe(account, filter) {
      if (!isTopicFilter(filter) || filter.startsWith("$share/")) return false;
      if (!hasWildcard(filter) && isMemoryOfAnother(account, parsed(filter))) return false;
      if (account.kind === "listed") return listedSubscribes(account.subscribe, filter);
      if (filter.startsWith("$")) return false;
      if (account.kind === "anonymous" || hasWildcard(filter)) return true;
      if (account.subscribe.some((pattern) => matchesFilter(pattern, filter))) return true;
      const topic = parsed(filter);
      // A plugin may subscribe to a device before it registers it.
      if (topic.kind === "device" && ownerOf(topic.deviceId) === undefined) return true;
      return pluginReceives(account.name, topic);
    },
    mayReceive(account, name) {
      if (isMemoryOfAnother(account, parsed(name))) return false;
      switch (account.kind) {
        case "anonymous":
          return !name.startsWith("$");
        case "listed":
          return account.subscribe.some((pattern) => matchesFilter(pattern, name));
        case "plugin":
          return pluginReceives(account.name, parsed(name)) || matchesAny(account.subscribe, name);
      }
    },
  };

  function pluginPublishes(pluginId: string, topic: Topic): boolean {
    switch (topic.kind) {
      case "plugin":
      case "request":
        return topic.pluginId === pluginId;
      case "device":
        return [undefined, pluginId].includes(ownerOf(topic.deviceId));
      case "event":
        return true;
      case "other":
        return false;
    }
  }

  function anonymousPublishes(claims: Set<string>, topic: Topic): boolean {
    if (topic.kind === "device") {
      const owner = ownerOf(topic.deviceId);
      return owner === undefined || owner === "anonymous" || claims.has(owner);
    }
    if (topic.kind !== "plugin" && topic.kind !== "request") return true;
    if (topic.pluginId === HUB_PLUGIN_ID) return false;
    if (claims.size < MAX_CLAIMS) claims.add(topic.pluginId);
    return claims.has(topic.pluginId);
  }

  function pluginReceives(pluginId: string, topic: Topic): boolean {
    switch (topic.kind) {
      case "plugin":
        return RECEIVED.has(topic.subtopic) && topic.pluginId === pluginId;
      case "device":
        return ownerOf(topic.deviceId) === pluginId;
      case "event":
        return true;
      default:
        return false;
    }
  }
}

/** Whatever its lists say: an account reads and writes no plugin's memory but that of the plugin with its name. */
function isMemoryOfAnother(account: Account, topic: Topic): boolean {
  if (topic.kind !== "plugin" || !isPluginMemory(topic)) return false;
  return account.kind === "anonymous" || account.name !== topic.pluginId;
}

function matchesAny(patterns: readonly string[], name: string): boolean {
  return !name.startsWith("$") && patterns.some((pattern) => matchesFilter(pattern, name));
}

/** Topics that only the hub publishes. */
function isFromHub(topic: Topic): boolean {
  return (
    (topic.kind === "device" && topic.subtopic === "cmd") ||
    (topic.kind === "plugin" && topic.subtopic === "manage/cmd")
  );
}

// A filter with wildcards may match more than the list: its messages are checked at delivery.
function listedSubscribes(patterns: readonly string[], filter: string): boolean {
  if (filter.startsWith("$")) return patterns.includes(filter) || patterns.some((one) => matchesFilter(one, filter));
  return hasWildcard(filter) ? patterns.length > 0 : patterns.some((pattern) => matchesFilter(pattern, filter));
}
