// Shelly of the first generation: `shellies/announce`, asked for with `shellies/command`, and topics below `shellies/ID`.
import { messageOf } from "../../../../../kit/schema/errors.ts";
import { isObject } from "../../../../../kit/schema/json.ts";
import type { Hardware, Message } from "../../../described.ts";
import { inNetwork } from "../../../hardware.ts";
import { macIn } from "../../../mac.ts";
import type { Incoming, Sender, SourceHost } from "../../../source.ts";
import { type Accounts, createAccounts } from "../accounts.ts";
import { describeFirstGeneration, isPath } from "./device.ts";
import { pathsOf, sleeps } from "./models.ts";

const ROOT = "shellies/";
const ANNOUNCE = "shellies/announce";
const MAX_BYTES = 65_536;
const MAX_PATHS = 100;
const MAX_EARLY_BYTES = 8192;
// A device reports all it has in one go: it is described when that is over.
const SETTLE_MS = 200;
// It repeats the last press, which may be long ago, when it is asked to report.
const REPEATS_MS = 2000;

interface Known {
  mac: string | undefined;
  model: string;
  mode: string | undefined;
  hardware: Hardware;
  paths: Set<string>;
  /** What came on topics before they were described. */
  early: Map<string, Message>;
  earlyBytes: number;
  willDescribe: boolean;
  isAsked: boolean;
  describedAt: number | undefined;
  /** When it was last asked to report. */
  updatedAt: number | undefined;
  online: boolean | undefined;
  /** Of each input, the count of its last press. */
  presses: Map<number, number>;
}

export interface FirstGenerationSource {
  receive(incoming: Incoming): boolean;
  /** Whether a topic is of a device that has announced itself. */
  knows(sender: Sender, topic: string): boolean;
}

export function createFirstGeneration(host: SourceHost): FirstGenerationSource {
  const accounts: Accounts<Known> = createAccounts();

  const knownAt = (sender: Sender, id: string): Known | undefined =>
    accounts.make(sender, id, () => ({
      ...{
        mac: undefined,
        model: "",
        mode: undefined,
        hardware: {},
        paths: new Set(),
        early: new Map(),
        earlyBytes: 0,
        presses: new Map(),
      },
      ...{ willDescribe: false, isAsked: false, describedAt: undefined, updatedAt: undefined, online: undefined },
    }));

  const ask = (sender: Sender, id: string, payload: string): void =>
    host.ask(sender, { topic: `${ROOT}${id}/command`, payload, qos: 0, retain: false });

  function announced({ sender, topic, payload, message }: Incoming): void {
    const { json } = payload.length > MAX_BYTES ? {} : message();
    const { id, mac, model, mode, ip, fw_ver: version } = isObject(json) ? json : {};
    const own = macIn(mac);
    if (typeof id !== "string" || !/^[^/+#\0]{1,64}$/.test(id) || own === undefined || typeof model !== "string") {
      host.broken(sender, ANNOUNCE, `${topic.slice(0, 100)}: an announcement needs id, mac and model`);
      return;
    }
    host.broken(sender, ANNOUNCE, undefined);
    const known = knownAt(sender, id);
    if (!known) return;
    if (!sender.mayPublish(`${ROOT}${id}/online`)) {
      host.broken(sender, ROOT + id, `${sender.name} announces ${id}, whose topics it may not publish to itself`);
      return;
    }
    const isOther = known.model !== model || known.mode !== mode;
    const paths = pathsOf(model, typeof mode === "string" ? mode : undefined);
    Object.assign(known, { mac: own, model: model.slice(0, 64), mode, hardware: inNetwork({ mac: own, ip, version }) });
    if (isOther) known.paths = new Set([...(known.describedAt === undefined ? known.paths : []), ...paths]);
    for (const other of accounts.takeRenamed(sender, id, own)) host.withdraw(sender, ROOT + other);
    if (paths.length > 0) describe(sender, id, known);
    else describeSoon(sender, id, known);
    // It announces itself on two topics.
    if (known.updatedAt !== undefined && host.clock.mono() - known.updatedAt < REPEATS_MS) return;
    known.updatedAt = host.clock.mono();
    ask(sender, id, "update");
  }

  /** A message below a device's topics; true where it is not yet one of the device's own. */
  function said(incoming: Incoming, id: string, path: string): boolean {
    const { sender, message, payload } = incoming;
    const known = path === "online" || isPath(path) ? knownAt(sender, id) : undefined;
    if (!known) return false;
    if (known.mac === undefined && !known.isAsked) {
      known.isAsked = true;
      ask(sender, id, "announce");
    }
    if (payload.length > MAX_BYTES) return false;
    if (path === "online") known.online = message().text === "true";
    const isDescribed = known.paths.has(path) && !known.early.has(path) && known.mac !== undefined;
    if (path === "online" || isDescribed || known.paths.size >= MAX_PATHS) return false;
    known.paths.add(path);
    known.earlyBytes += payload.length;
    if (known.earlyBytes <= MAX_EARLY_BYTES) known.early.set(path, message());
    if (known.mac !== undefined) describeSoon(sender, id, known);
    return true;
  }

  function describeSoon(sender: Sender, id: string, known: Known): void {
    if (known.willDescribe) return;
    known.willDescribe = true;
    host.clock.after("shelly topics", SETTLE_MS, () => {
      known.willDescribe = false;
      describe(sender, id, known);
    });
  }

  function describe(sender: Sender, id: string, known: Known): void {
    const { mac, model, hardware, paths, early } = known;
    if (mac === undefined) return;
    const base = ROOT + id;
    known.describedAt ??= host.clock.mono();
    try {
      const device = describeFirstGeneration({
        ...{ base, name: id, mac, model, hardware, paths: [...paths] },
        isNew: (input, count) => isNewPress(known, input, count),
      });
      host.describe(sender, base, device);
      host.broken(sender, base, undefined);
      for (const [path, message] of early)
        host.report(sender, base, { ...device.read(`${base}/${path}`, message), actions: [] });
      early.clear();
      known.earlyBytes = 0;
      const available = sleeps(model) || (known.online ?? true);
      host.report(sender, base, { attributes: {}, actions: [], available });
    } catch (error) {
      host.broken(sender, base, messageOf(error));
    }
  }

  function isNewPress(known: Known, input: number, count: number): boolean {
    const last = known.presses.get(input);
    known.presses.set(input, count);
    if (last !== undefined) return last !== count;
    // One that sleeps wakes because it is pressed.
    return sleeps(known.model) || host.clock.mono() - (known.describedAt ?? 0) >= REPEATS_MS;
  }

  return {
    knows(sender, topic) {
      const [root, id = ""] = topic.split("/", 2);
      return `${root}/` === ROOT && accounts.get(sender, id)?.mac !== undefined;
    },
    receive(incoming) {
      const { topic } = incoming;
      if (!topic.startsWith(ROOT)) return false;
      const [id = "", ...more] = topic.slice(ROOT.length).split("/");
      if (topic === ANNOUNCE || (more.length === 1 && more[0] === "announce")) {
        announced(incoming);
        return true;
      }
      return more.length > 0 && said(incoming, id, more.join("/"));
    },
  };
}
