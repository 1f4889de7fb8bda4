// What becomes of commands: the device took them, its side refused, nobody was there to take them, or nothing was received from the
// device. Those that came to nothing are reported.
import type { Log } from "../../../kit/lifecycle/log.ts";
import { type JsonObject, jsonEqual } from "../../../kit/schema/json.ts";
import { jsonBytes, ownBeginning } from "../../../kit/schema/memory-size.ts";
import type { Clock, Timer } from "../../../kit/time/clock.ts";
import type { EventOf } from "../../../server/events/define.ts";
import type { deviceCommandFailed } from "../../../server/events/devices.ts";
import { isBatteryAttribute } from "../battery.ts";
import type { Device } from "../device.ts";
import type { Registry, Reported } from "../registry.ts";
import { describedAttribute } from "./command-check.ts";

type Failed = EventOf<typeof deviceCommandFailed>;

/** What `device_command_sent` says of it. */
export type SentFields = Pick<
  Failed,
  "device_id" | "plugin_id" | "command" | "source" | "actor_name" | "correlation_id"
>;

/** A refusal by the device's side. */
export interface Refusal {
  deviceId: string;
  /** Of the command; without it, the device's latest is meant. */
  correlationId?: string;
  message: string;
}

/** What the device's side said to a command. */
export type CommandAnswer =
  | { outcome: "accepted" }
  | { outcome: "refused"; message: string }
  | { outcome: "not_connected"; message: string };

export interface CommandWatch extends Disposable {
  /**
   * Before the command is sent: its answer may come while it is being sent. Resolves with the answer, and never where none comes.
   * Of two reports that follow a command, the one that still says what was so before is no answer to it.
   */
  expect(device: Device, sent: SentFields): Promise<CommandAnswer>;
  /** It could not be sent; whoever sent it was notified. */
  forget(correlationId: string): void;
  /** It was sent: from here on the device has its time. `reached`: somebody was there who takes it. */
  sent(correlationId: string, reached: boolean): void;
  /** Ignored where the command is not known, or long over. */
  refused(refusal: Refusal): void;
}

export interface CommandWatchOptions {
  registry: Pick<Registry, "onReported" | "onRemoved">;
  clock: Clock;
  log: Log;
  emit: (event: Failed) => void;
  /** 0: answers are not waited for. */
  timeoutSecs: number;
  /** The device answered so long after the command was sent. */
  onAnswered?: (seconds: number, pluginId: string) => void;
}

interface Awaited {
  readonly fields: SentFields;
  readonly bytes: number;
  readonly hasBattery: boolean;
  /** A report of any of these is a sign of life; empty where none needs to come; `true`: any report is. */
  readonly answers: ReadonlySet<string> | true;
  /** Attribute → what it said when the command was sent. The command is accepted where one says something else, or what is wanted. */
  readonly before: JsonObject;
  readonly settle: (answer: CommandAnswer) => void;
  /** Its silence is no news any more. */
  isAnswered: boolean;
  /** Monotonic; undefined until it is sent. */
  deadline: number | undefined;
  /** Monotonic; undefined until it is sent. */
  sentAt: number | undefined;
}

const MAX_AWAITED = 1000;
const MAX_BYTES = 4 * 1_048_576;
// A refusal may come even where no answer is waited for.
const REFUSABLE_SECS = 10;
const MAX_MESSAGE = 1000;

// What moves says so before it arrives.
const ALSO_ANSWERED_BY: Readonly<Record<string, readonly string[]>> = {
  position: ["moving", "state"],
  tilt: ["moving", "state"],
};

export function startCommandWatch(options: CommandWatchOptions): CommandWatch {
  return new Watch(options);
}

class Watch implements CommandWatch {
  readonly #options: CommandWatchOptions;
  /** By correlation id; those that are sent are in the order of their deadlines. */
  readonly #awaited = new Map<string, Awaited>();
  readonly #ofDevice = new Map<string, Set<Awaited>>();
  /** Devices whose silence is in the log already: one line until they answer. */
  readonly #logged = new Set<string>();
  readonly #stack = new DisposableStack();
  #timer: Timer | undefined;
  #bytes = 0;

  constructor(options: CommandWatchOptions) {
    this.#options = options;
    const { registry } = options;
    this.#stack.use(registry.onReported("command answers", (report) => this.#answered(report)));
    this.#stack.use(registry.onRemoved("command answers", ({ id }) => this.#removed(id)));
  }

  expect(device: Device, fields: SentFields): Promise<CommandAnswer> {
    const { promise, resolve: settle } = Promise.withResolvers<CommandAnswer>();
    const bytes = jsonBytes(fields.command);
    if (bytes > MAX_BYTES) return promise;
    const answers = answersTo(device, fields.command);
    const reporting = answers === true || answers.size === 0 ? Object.keys(fields.command) : [...answers];
    const awaited: Awaited = {
      ...{ fields, bytes, answers, settle, deadline: undefined, sentAt: undefined },
      hasBattery: Object.keys(device.attributes).some(isBatteryAttribute),
      before: Object.fromEntries(reporting.map((name) => [name, device.attributes[name] ?? null])),
      isAnswered: this.#options.timeoutSecs === 0,
    };
    this.#awaited.set(fields.correlation_id, awaited);
    const ofDevice = this.#ofDevice.get(fields.device_id) ?? new Set();
    this.#ofDevice.set(fields.device_id, ofDevice.add(awaited));
    this.#bytes += bytes;
    for (const oldest of this.#awaited.values()) {
      if (this.#awaited.size <= MAX_AWAITED && this.#bytes <= MAX_BYTES) break;
      this.#drop(oldest);
    }
    return promise;
  }

  forget(correlationId: string): void {
    const awaited = this.#awaited.get(correlationId);
    if (awaited) this.#drop(awaited);
  }

  sent(correlationId: string, reached: boolean): void {
    const awaited = this.#awaited.get(correlationId);
    if (!awaited) return;
    if (!reached) {
      const { plugin_id } = awaited.fields;
      const message = `nobody takes commands for the device now: "${plugin_id}" is not connected, or does not subscribe to them. If it keeps its session, it gets this one later`;
      this.#fail(awaited, "not_connected", message);
      return;
    }
    const { clock, timeoutSecs } = this.#options;
    awaited.sentAt = clock.mono();
    awaited.deadline = awaited.sentAt + (timeoutSecs || REFUSABLE_SECS) * 1000;
    this.#awaited.delete(correlationId);
    this.#awaited.set(correlationId, awaited);
    this.#schedule();
  }

  refused({ deviceId, correlationId, message }: Refusal): void {
    const latest = [...(this.#ofDevice.get(deviceId) ?? [])].at(-1);
    const awaited = correlationId === undefined ? latest : this.#awaited.get(correlationId);
    if (awaited?.fields.device_id === deviceId) this.#fail(awaited, "refused", ownBeginning(message, MAX_MESSAGE));
  }

  [Symbol.dispose](): void {
    this.#timer?.[Symbol.dispose]();
    this.#stack[Symbol.dispose]();
  }

  #answered({ deviceId, attributes, change }: Reported): void {
    const ofDevice = this.#ofDevice.get(deviceId);
    if (!ofDevice) return;
    this.#logged.delete(deviceId);
    const { clock, onAnswered } = this.#options;
    for (const awaited of [...ofDevice]) {
      const { answers, fields } = awaited;
      if (change?.correlation_id === fields.correlation_id || answers === true || follows(awaited, attributes)) {
        this.#drop(awaited);
        awaited.settle({ outcome: "accepted" });
        // One that comes while it is being sent took no time.
        const now = clock.mono();
        onAnswered?.((now - (awaited.sentAt ?? now)) / 1000, fields.plugin_id);
      } else if ([...answers].some((name) => Object.hasOwn(attributes, name))) {
        awaited.isAnswered = true;
      }
    }
  }

  #removed(deviceId: string): void {
    this.#logged.delete(deviceId);
    for (const awaited of [...(this.#ofDevice.get(deviceId) ?? [])]) this.#drop(awaited);
  }

  #schedule(): void {
    if (this.#timer) return;
    const next = this.#awaited.values().find(({ deadline }) => deadline !== undefined);
    if (next?.deadline === undefined) return;
    const { clock } = this.#options;
    this.#timer = clock.after("command answers", next.deadline - clock.mono(), () => {
      this.#timer = undefined;
      this.#expire();
      this.#schedule();
    });
  }

  #expire(): void {
    const { clock, timeoutSecs } = this.#options;
    for (const awaited of [...this.#awaited.values()]) {
      if (awaited.deadline === undefined) continue;
      if (awaited.deadline > clock.mono()) return;
      if (awaited.isAnswered || (awaited.answers !== true && awaited.answers.size === 0)) {
        this.#drop(awaited);
        continue;
      }
      const why = awaited.hasBattery
        ? "it may sleep, and take the command when it wakes"
        : "it may be switched off or out of reach";
      this.#fail(awaited, "no_answer", `nothing was heard of the device for ${timeoutSecs} s: ${why}`);
    }
  }

  #fail(awaited: Awaited, reason: Failed["reason"], message: string): void {
    this.#drop(awaited);
    const { log, emit } = this.#options;
    const { device_id: device, correlation_id } = awaited.fields;
    if (!this.#logged.has(device)) log.warn("a command failed", { device, reason, message, correlation_id });
    this.#logged.add(device);
    emit({ type: "device_command_failed", ...awaited.fields, reason, message });
    if (reason !== "no_answer") awaited.settle({ outcome: reason, message });
  }

  #drop(awaited: Awaited): void {
    const { correlation_id, device_id } = awaited.fields;
    if (!this.#awaited.delete(correlation_id)) return;
    this.#bytes -= awaited.bytes;
    const ofDevice = this.#ofDevice.get(device_id);
    ofDevice?.delete(awaited);
    if (ofDevice?.size === 0) this.#ofDevice.delete(device_id);
  }
}

/** Of the custom event `command_refused {device_id, correlation_id, reason}`, by which a plugin says so. Fields may be missing. */
export function refusalIn({ device_id, correlation_id, reason }: { [field: string]: unknown }): Refusal {
  return {
    deviceId: typeof device_id === "string" ? device_id : "",
    ...(typeof correlation_id === "string" && { correlationId: correlation_id }),
    message: typeof reason === "string" ? reason : "its plugin refused it",
  };
}

/** Whether a report says what the command wants, or anything else than before of what it changes. */
function follows({ before, fields: { command } }: Awaited, attributes: JsonObject): boolean {
  return Object.entries(before).some(([name, value]) => {
    const said = attributes[name];
    return said !== undefined && (!jsonEqual(said, value) || jsonEqual(said, command[name]));
  });
}

/** The attributes of which one has to be reported if the command reaches the device. */
function answersTo({ attributes, details }: Device, command: SentFields["command"]): Set<string> | true {
  const names = Object.keys(command);
  const isReported = (name: string): boolean => {
    const described = describedAttribute(details, name);
    return described ? described.writeOnly !== true : Object.hasOwn(attributes, name);
  };
  // It has said nothing of itself yet, so anything that it says is an answer.
  const isUnknown = !details.schema && !details.capabilities && Object.keys(attributes).length === 0;
  if (isUnknown && !names.includes("command")) return true;
  const different = names.filter((name) => isReported(name) && !jsonEqual(attributes[name], command[name]));
  return new Set(different.flatMap((name) => [name, ...(ALSO_ANSWERED_BY[name] ?? [])]));
}
