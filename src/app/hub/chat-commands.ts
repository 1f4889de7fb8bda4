// Commands that people write to a bot in an allowed chat: they have the rights of the user whom the channel names, no more, and what
// they do is in the audit log. Off unless the channel's configuration says `commands = true`.

import type { Scenes } from "../../house/state/commands/scenes.ts";
import type { Guests } from "../../house/state/guests.ts";
import type { Registry } from "../../house/state/registry.ts";
import { type Kept, watchKept } from "../../kit/lifecycle/kept.ts";
import { didYouMean } from "../../kit/schema/did-you-mean.ts";
import { messageOf } from "../../kit/schema/errors.ts";
import { type Called, oneCalled, spelled } from "../../kit/text/called.ts";
import { valueText } from "../../kit/text/formats.ts";
import type { Clock } from "../../kit/time/clock.ts";
import type { Reply, Sender } from "../../reach/notify/channel.ts";
import { HERE_ALONE } from "../../reach/notify/notices/words.ts";
import type { Rules } from "../../rules/rules.ts";
import type { Audit, AuditActor } from "../../server/auth/audit.ts";
import { allows, type Role } from "../../server/auth/roles.ts";
import type { User } from "../../server/auth/users.ts";

export interface ChatCommandDeps {
  clock: Clock;
  users: { list(): readonly Pick<User, "id" | "username" | "role">[] };
  audit: Pick<Audit, "record" | "refused">;
  guests: Pick<Guests, "may">;
  registry: Pick<Registry, "list">;
  scenes: Pick<Scenes, "list" | "activateAndWait">;
  rules: Pick<Rules, "list" | "run">;
  /** Kinds of alerts that are raised now. */
  degraded: () => readonly string[];
  /** Undefined where nobody waits for the other machine of the house. */
  kept?: Kept | undefined;
  /** The name of the user whose rights a channel's commands have. */
  userOf: (channel: string) => string | undefined;
}

export type ChatCommands = (channel: string, text: string, from: Sender) => Promise<Reply | undefined>;

interface Asking {
  /** What stands behind the command. */
  readonly rest: string;
  readonly actor: AuditActor;
  readonly role: Role;
  /** Who wrote it, and where. */
  readonly detail: string;
}

type Command = (asking: Asking) => Reply | Promise<Reply>;

const MAX_A_MINUTE = 20;
const MAX_LINES = 40;
const MAX_BUTTONS = 30;
const HELP = [
  "/status – how the house is",
  "/devices [area] – its devices",
  "/scene [name] – activate a scene, or choose one",
  "/run [name] – run a rule that is run by hand, or choose one",
].join("\n");

export function createChatCommands(deps: ChatCommandDeps): ChatCommands {
  const { clock, users, audit, guests, registry, scenes, rules, userOf } = deps;
  const minutes = new Map<string, { begun: number; count: number }>();

  function isTooOften(chat: string): boolean {
    const now = clock.mono();
    const known = minutes.get(chat);
    const minute = known && now - known.begun < 60_000 ? known : { begun: now, count: 0 };
    minutes.set(chat, minute);
    return ++minute.count > MAX_A_MINUTE;
  }

  function status(): Reply {
    const devices = [...registry.list()];
    const gone = devices.filter(({ available }) => !available).map(({ name }) => name);
    const degraded = deps.degraded();
    const lines = [
      `${devices.length} devices`,
      gone.length > 0 ? `Cannot be reached: ${listed(gone, 10)}` : "All of them can be reached",
      degraded.length > 0 ? `Needs attention: ${degraded.join(", ")}` : "Nothing needs attention",
    ];
    return { text: lines.join("\n") };
  }

  function listDevices({ rest }: Asking): Reply {
    const found = [...registry.list()].filter(({ area = "" }) => rest === "" || spelled(area) === spelled(rest));
    if (found.length === 0) {
      const areas = [...new Set([...registry.list()].flatMap(({ area }) => area ?? []))];
      return { text: `No device in "${rest}"${didYouMean(rest, areas)}` };
    }
    const lines = found.slice(0, MAX_LINES).map(({ name, available, attributes }) => {
      const [first] = Object.entries(attributes);
      const state = first ? `${first[0]} ${valueText(first[1]) ?? "?"}` : "–";
      return `${name}: ${available ? state : "cannot be reached"}`;
    });
    const more = found.length - lines.length;
    return { text: lines.join("\n") + (more > 0 ? `\n… and ${more} more: /devices AREA` : "") };
  }

  async function scene({ rest, actor, role, detail }: Asking): Promise<Reply> {
    const may = (id: string): boolean => allows(role, "user") || guests.may("scene", id);
    const all = scenes.list().filter(({ id }) => may(id));
    if (rest === "") return choice("Which scene?", "/scene", all);
    const found = oneCalled("scene", all, rest);
    if (!found) return { text: `There is no scene "${rest}" for you${didYouMean(rest, namesOf(all))}` };
    const { failed } = await scenes.activateAndWait(found.id, actor);
    audit.record({ actor, address: "", action: "scene.activate", target: found.id, outcome: "ok", detail });
    return { text: failed.length > 0 ? `${found.name}: ${failed.length} devices did not follow` : `${found.name} ✓` };
  }

  async function run({ rest, actor, role, detail }: Asking): Promise<Reply> {
    if (!allows(role, "admin")) {
      audit.refused({ actor, address: "", action: "rule.run", target: rest.slice(0, 100), detail });
      return { text: "Only administrators run rules" };
    }
    const all = rules.list().filter(({ triggerTypes, enabled }) => enabled && triggerTypes.includes("manual_trigger"));
    if (rest === "") return choice("Which rule?", "/run", all);
    const found = oneCalled("rule", all, rest);
    if (!found) return { text: `There is no rule "${rest}" to run by hand${didYouMean(rest, namesOf(all))}` };
    const { name } = actor;
    const { outcome } = await rules.run(found.id, { actor: { name } });
    audit.record({ actor, address: "", action: "rule.run", target: found.id, outcome: "ok", detail });
    return { text: `${found.name}: ${outcome}` };
  }

  const help = (): Reply => ({ text: HELP });
  const commands: Readonly<Record<string, Command>> = {
    ...{ "/status": status, "/devices": listDevices, "/scene": scene, "/run": run, "/help": help, "/start": help },
  };

  return async function written(channel, text, from) {
    const name = userOf(channel);
    if (name === undefined || !text.startsWith("/")) return undefined;
    if (isTooOften(from.chat)) return { text: `At most ${MAX_A_MINUTE} commands a minute` };
    const user = users.list().find(({ username }) => username === name);
    if (!user) return { text: `The hub has no user "${name}"; change \`user\` of the channel ${channel}` };
    const [word = "", ...rest] = text.trim().split(/\s+/);
    // In groups Telegram adds the name of the bot.
    const command = word.toLowerCase().replace(/@.*$/, "");
    if (!Object.hasOwn(commands, command)) return { text: `There is no ${command.slice(0, 50)}.\n${HELP}` };
    const actor = { kind: "user", id: user.id, name: user.username };
    const detail = `written by ${from.name.slice(0, 100)} in ${channel}`;
    try {
      const confirmed = deps.kept && watchKept(deps.kept, "rules");
      const reply = await commands[command]?.({ rest: rest.join(" "), actor, role: user.role, detail });
      const problem = confirmed && (await confirmed());
      return reply && problem !== undefined ? { ...reply, text: `${reply.text}\n${HERE_ALONE}` } : reply;
    } catch (error) {
      return { text: messageOf(error) };
    }
  };
}

function namesOf(all: readonly Called[]): string[] {
  return all.map(({ name }) => name);
}

function choice(text: string, command: string, all: readonly Called[]): Reply {
  if (all.length === 0) return { text: "There is none for you" };
  return { text, actions: all.slice(0, MAX_BUTTONS).map(({ id, name }) => ({ id: `${command} ${id}`, label: name })) };
}

function listed(names: readonly string[], most: number): string {
  const more = names.length - most;
  return names.slice(0, most).join(", ") + (more > 0 ? ` and ${more} more` : "");
}
