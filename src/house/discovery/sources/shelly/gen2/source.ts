// Shelly of the second generation and later: `PREFIX/online`, then questions at `PREFIX/rpc` with answers at `PREFIX/hub/rpc`.
// One that sleeps answers nothing, and is described from what it reports when it wakes.
import { messageOf } from "../../../../../kit/schema/errors.ts";
import { isObject, type Json, type JsonObject } from "../../../../../kit/schema/json.ts";
import type { Outgoing } from "../../../described.ts";
import { macIn } from "../../../mac.ts";
import type { Incoming, Sender, SourceHost } from "../../../source.ts";
import { type Accounts, createAccounts } from "../accounts.ts";
import { describeShelly, request, type ShellyInfo, sleeps } from "./device.ts";

const MAX_BYTES = 65_536;
// Numbers of questions; commands have higher ones.
const QUESTIONS = ["Shelly.GetDeviceInfo", "Shelly.GetConfig", "Shelly.GetStatus"];
const FIRST_COMMAND = 100;
const REMEMBERED_COMMANDS = 50;
const SETTLE_MS = 2000;

interface Known {
  mac: string | undefined;
  info: ShellyInfo | undefined;
  /** Undefined until the device has answered. */
  config: JsonObject | undefined;
  /** Kept until the device has answered everything. */
  status: JsonObject | undefined;
  online: boolean | undefined;
  isAsked: boolean;
  willAsk: boolean;
  lastId: number;
  /** Methods of commands by their numbers, the latest last. */
  commands: Map<number, string>;
  /** The last command was refused. */
  isRefused: boolean;
}

export function createLaterGenerations(host: SourceHost): { receive(incoming: Incoming): boolean } {
  const accounts: Accounts<Known> = createAccounts();

  const knownAt = (sender: Sender, prefix: string): Known | undefined =>
    accounts.make(sender, prefix, () => ({
      ...{ mac: undefined, info: undefined, config: undefined, status: undefined, online: undefined },
      ...{ isAsked: false, willAsk: false, lastId: FIRST_COMMAND, commands: new Map(), isRefused: false },
    }));

  function ask(sender: Sender, prefix: string, known: Known): void {
    known.isAsked = true;
    for (const question of questionsTo(prefix)) host.ask(sender, question);
  }

  /** Each time it comes online it may be a new one, or have new firmware. */
  function online({ sender, payload, message }: Incoming, prefix: string): void {
    const text = payload.length > "false".length ? "" : message().text;
    if (text !== "true" && text !== "false") return;
    const known = text === "true" ? knownAt(sender, prefix) : accounts.get(sender, prefix);
    if (!known) return;
    known.online = text === "true";
    if (known.online) ask(sender, prefix, known);
  }

  function event({ sender, payload, message }: Incoming, prefix: string): void {
    const { json } = payload.length > MAX_BYTES ? {} : message();
    if (!isObject(json) || !isObject(json.params)) return;
    const known = knownAt(sender, prefix);
    if (!known) return;
    const { method, params, src } = json;
    if (method === "NotifyFullStatus") {
      known.info ??= infoOfStatus(prefix, params, src);
      known.status = params;
      describe(sender, prefix, known);
    } else if (!known.isAsked) ask(sender, prefix, known);
    else if (method === "NotifyEvent" && changesComponents(params)) askSoon(sender, prefix, known);
  }

  function askSoon(sender: Sender, prefix: string, known: Known): void {
    if (known.willAsk) return;
    known.willAsk = true;
    host.clock.after("shelly configuration", SETTLE_MS, () => {
      known.willAsk = false;
      ask(sender, prefix, known);
    });
  }

  function answer({ sender, payload, message }: Incoming, prefix: string): void {
    const known = accounts.get(sender, prefix);
    const { json } = payload.length > MAX_BYTES ? {} : message();
    if (!known) return;
    if (!isObject(json) || typeof json.id !== "number") {
      host.broken(sender, prefix, `an answer must be a JSON object of at most ${MAX_BYTES} bytes`);
      return;
    }
    const { id, result, error } = json;
    const question = QUESTIONS[id - 1];
    if (id > FIRST_COMMAND) answerToCommand({ sender, prefix, known }, id, error);
    if (question === undefined) return;
    const answered = isObject(result) ? result : {};
    if (question === "Shelly.GetDeviceInfo") known.info = infoIn(prefix, answered) ?? known.info;
    if (question === "Shelly.GetConfig") known.config = answered;
    if (question === "Shelly.GetStatus") known.status = isObject(result) ? result : undefined;
    describe(sender, prefix, known);
  }

  function answerToCommand(
    { sender, prefix, known }: { sender: Sender; prefix: string; known: Known },
    id: number,
    error: Json | undefined,
  ): void {
    const method = known.commands.get(id);
    known.commands.delete(id);
    if (method === undefined || (error === undefined && !known.isRefused)) return;
    known.isRefused = error !== undefined;
    host.refused(sender, prefix, error === undefined ? undefined : `${method} was refused: ${refusal(error)}`);
  }

  function describe(sender: Sender, prefix: string, known: Known): void {
    const { info, config = {}, status, online } = known;
    if (!info || !status) return;
    if (known.config) known.status = undefined;
    const nextId = (method: string): number => {
      const id = ++known.lastId;
      known.commands.set(id, method);
      const [oldest] = known.commands.keys();
      if (known.commands.size > REMEMBERED_COMMANDS && oldest !== undefined) known.commands.delete(oldest);
      return id;
    };
    try {
      const device = describeShelly({ info, status, config, nextId, refresh: () => questionsTo(prefix) });
      const foreign = device.topics.find((one) => !sender.mayPublish(one));
      if (foreign !== undefined)
        throw new Error(`${sender.name} announces the topic ${foreign}, which it may not publish to itself`);
      known.mac = info.mac;
      for (const other of accounts.takeRenamed(sender, prefix, info.mac)) host.withdraw(sender, other);
      host.describe(sender, prefix, device);
      host.broken(sender, prefix, undefined);
      const frame = { method: "NotifyStatus", params: status };
      const report = device.read(`${prefix}/events/rpc`, { text: "", json: frame });
      host.report(sender, prefix, { ...report, available: sleeps(status) || (online ?? true) });
    } catch (error) {
      host.broken(sender, prefix, messageOf(error));
    }
  }

  return {
    receive(incoming) {
      const { topic } = incoming;
      if (topic.endsWith("/hub/rpc")) {
        answer(incoming, topic.slice(0, -"/hub/rpc".length));
        return true;
      }
      // What else these say is read by the device, once it is described.
      if (topic.endsWith("/online")) online(incoming, topic.slice(0, -"/online".length));
      else if (topic.endsWith("/events/rpc")) event(incoming, topic.slice(0, -"/events/rpc".length));
      return false;
    },
  };
}

const questionsTo = (prefix: string): Outgoing[] =>
  QUESTIONS.map((method, at) => request(prefix, { id: at + 1, method }));

function infoIn(prefix: string, { mac, name, model, app, ver }: JsonObject): ShellyInfo | undefined {
  const own = macIn(mac);
  if (own === undefined) return undefined;
  return { prefix, mac: own, name: textIn(name), model: textIn(model) ?? textIn(app), version: textIn(ver) };
}

/** `src`: `shellyhtg3-84fce63ad204`, which is all that one that sleeps says of its model. */
function infoOfStatus(prefix: string, { sys }: JsonObject, src: Json | undefined): ShellyInfo | undefined {
  const source = textIn(src);
  const mac = macIn(isObject(sys) ? sys.mac : undefined) ?? macIn(source?.split("-").at(-1));
  return mac === undefined ? undefined : { prefix, mac, name: undefined, model: source?.split("-")[0] };
}

function changesComponents({ events }: JsonObject): boolean {
  const changes = ["config_changed", "component_added", "component_removed"];
  return Array.isArray(events) && events.some((one) => isObject(one) && changes.includes(String(one.event)));
}

function refusal(error: Json): string {
  if (!isObject(error)) return "the device did not say why";
  return `${String(error.message ?? "the device did not say why").slice(0, 200)} (${String(error.code ?? "?").slice(0, 10)})`;
}

const textIn = (value: Json | undefined): string | undefined =>
  typeof value === "string" && value !== "" ? value.slice(0, 200) : undefined;
