// Writes log lines of plugins to the hub's log, under the plugin's name: limited in number and length, one line each.
import type { Static } from "@sinclair/typebox";
import type { Fields, Log } from "../../kit/lifecycle/log.ts";
import type { Clock } from "../../kit/time/clock.ts";
import type { LogLine } from "./payloads.ts";
import { createRateLimitedLog } from "./rate-limited-log.ts";

export interface PluginLogs extends Disposable {
  write(pluginId: string, line: Static<typeof LogLine>): void;
}

const LINES = 200;
const MAX_MESSAGE = 4000;
const MAX_FIELDS = 4000;

export function createPluginLogs({ clock, log }: { clock: Clock; log: Log }): PluginLogs {
  const limited = createRateLimitedLog({
    clock,
    log,
    lines: LINES,
    report: (pluginId, dropped) => log.child(pluginId).warn(`${dropped} lines dropped`),
  });
  return {
    write(pluginId, { level, target, message, fields }) {
      limited.line(pluginId, () => {
        const text = oneLine(message).slice(0, MAX_MESSAGE);
        const all: Fields = { ...(target ? { target: oneLine(target).slice(0, 200) } : {}), ...bounded(fields) };
        log.child(pluginId)[levelOf(level)](text, all);
      });
    },
    [Symbol.dispose]: () => limited[Symbol.dispose](),
  };
}

function levelOf(level = "info"): "debug" | "info" | "warn" | "error" {
  switch (level.toLowerCase()) {
    case "trace":
    case "debug":
      return "debug";
    case "warn":
    case "warning":
      return "warn";
    case "error":
    case "fatal":
    case "critical":
      return "error";
    default:
      return "info";
  }
}

function bounded(fields: Fields | undefined): Fields {
  if (!fields) return {};
  return JSON.stringify(fields).length > MAX_FIELDS ? { fields: "left out: too long" } : fields;
}

// With line breaks and terminal codes a plugin could forge lines of others.
function oneLine(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is replaced
  return text.replace(/[\x00-\x1f\x7f-\x9f\u2028\u2029]+/g, " ");
}
