// What rules need from the rest of the hub, which app/hub/wire-rules.ts provides: what they read of the house, and what they do to it.
// Simulations and tests have their own.
import type { Json, JsonObject } from "../../kit/schema/json.ts";
import type { SolarEvent } from "../../kit/time/sun.ts";
import type { Zone } from "../../kit/time/zone.ts";
import type { OwnRows } from "../../server/db/own-rows.ts";
import type { HubEvent } from "../../server/events/catalog.ts";

/** A device as rules see it, in its current state. */
export interface RuleDevice {
  readonly id: string;
  readonly name: string;
  readonly area: string | undefined;
  readonly deviceType: string | undefined;
  /** Words that a person gave it. */
  readonly tags: readonly string[];
  readonly available: boolean;
  readonly attributes: Readonly<JsonObject>;
  /** Attribute → epoch ms of its last change. */
  readonly lastChanged: Readonly<Record<string, number>>;
  /** JSON Schemas of its attributes, where it describes them. */
  readonly details?: { readonly schema?: JsonObject; readonly capabilities?: JsonObject };
  /** Who caused the last change, as its event said it; undefined where that is not known. */
  readonly lastChange?: JsonObject | undefined;
}

/** The sender of a rule's commands. */
export interface RuleActor {
  kind: "rule";
  id: string;
  name: string;
}

/** Whether a command is sent to a device that is not available, or fails. */
export type Offline = "send" | "fail";

export interface Notification {
  /** Names of channels, people and groups: see docs/notifications.md. */
  channels: readonly string[];
  message: string;
  title: string | undefined;
  /** From -2 (silent) to 2 (emergency); undefined: that of the channel. */
  priority?: number | undefined;
  /** Without a sound. */
  silent?: boolean | undefined;
  /** What it is about: it takes the place of the last one with this tag. */
  tag?: string | undefined;
  /** Where its picture comes from: see kit/text/image-source.ts. */
  image?: string | undefined;
  /** What the message is written in; without it, in each channel's own markup. */
  markup?: "html" | "markdown" | "none" | undefined;
  /** The id of the rule that sends it. */
  rule?: string | undefined;
  /** Buttons under it, besides the one that confirms. */
  actions?: readonly { readonly id: string; readonly label: string }[] | undefined;
  /** After so long without an answer the next name is asked; without it all are notified at once. */
  escalateMs?: number | undefined;
  /** For the placeholders in both texts. `evaluate` throws what cannot be evaluated. */
  context: {
    deviceId: string | undefined;
    trigger: JsonObject;
    vars: Readonly<JsonObject>;
    evaluate(expression: string): Json;
  };
}

/** What channels say of the texts that rules send. */
export interface RuleTexts {
  /** Of a text that is not sent yet, in words for its author. */
  problems(
    text: Pick<Notification, "message" | "markup"> & { readonly channels: readonly string[] },
  ): readonly string[];
  /** Of texts that were sent. */
  readonly refused: {
    of(ruleId: string): readonly string[];
    /** The rule has another text now. */
    forget(ruleId: string): void;
  };
}

export interface HttpRequest {
  url: string;
  method: string;
  headers: Readonly<Record<string, string>>;
  body: string | undefined;
  timeoutMs: number;
}

/** An event of a calendar. */
export interface CalendarEvent {
  readonly uid: string;
  readonly title: string;
  /** Epoch ms. */
  readonly start: number;
  readonly end: number;
  readonly allDay: boolean;
  readonly location: string | undefined;
}

export interface RuleCalendars {
  /** From some days ago to some months ahead, by start. Undefined if there is no such calendar. */
  events(calendarId: string): readonly CalendarEvent[] | undefined;
  /** Calls the listener when they have changed. */
  onChange(calendarId: string, listener: () => void): Disposable;
}

export interface Ping {
  reachable: boolean;
  /** The mean of the answers. */
  rttMs?: number;
}

/** Why a notification did not get through at its first try. */
export interface Undelivered {
  readonly why: string;
  /** It is stored, and tried again. */
  readonly waits: boolean;
}

/** What is known of a notification at once. */
export interface Enqueued {
  readonly undelivered?: Undelivered | undefined;
  /** The same, where its first try takes longer. Never rejects. */
  readonly later?: Promise<Undelivered | undefined>;
  /** What its author should know of its text although it was sent: shown in the trace. */
  readonly notes: readonly string[];
}

/** What rules see of the house. Nothing of it changes anything: conditions and triggers have no more than this. */
export interface HouseReads {
  device(id: string): RuleDevice | undefined;
  /** All of them. */
  devices(): Iterable<RuleDevice>;
  /** The JSON Schemas of a device's attributes, by name; undefined where it does not describe itself. */
  described(id: string): Readonly<Record<string, JsonObject>> | undefined;
  /** For each device the command that brings it back into its present state. Throws HubError. */
  presentStates(deviceIds: readonly string[]): Readonly<Record<string, JsonObject>>;
  /** Undefined if there is none of this name. */
  variable(name: string): Json | undefined;
  /** Undefined if there is no such mode. */
  mode(id: string): boolean | undefined;
  hasScene(id: string): boolean;
  /** Whether a person made it or a device is in it. */
  hasArea(id: string): boolean;
  hasChannel(name: string): boolean;
  /** Epoch ms. */
  now(): number;
  /** From 0 up to 1. */
  random(): number;
  readonly zone: Zone;
  /** Undefined where there are none. */
  readonly calendars: RuleCalendars | undefined;
  /** Undefined without [location]. */
  readonly sun: SunMoments | undefined;
}

/**
 * What actions do to the house and to what is outside of it. A simulation implements all of it, each method by itself, and hands
 * on none of the real house's: what it cannot simulate it refuses, see replay/not-done.ts.
 */
export interface HouseEffects {
  setVariable(name: string, value: Json): void;
  /** Also sent to a device that is not available, unless `offline` is "fail". Throws HubError when it is refused. */
  command(deviceId: string, command: JsonObject, actor: RuleActor, options?: { offline?: Offline }): Promise<void>;
  /** Rejects when a device of the scene refused its command. */
  activateScene(id: string, actor: RuleActor): Promise<void>;
  /**
   * It is stored when this returns, in one commit with the rows that `record` writes. The promise resolves with what is known at
   * once, and rejects when somebody will not get it; the rule continues.
   */
  notify(notification: Notification, signal: AbortSignal, record?: OwnRows): Promise<Enqueued>;
  /** Takes back what was last said with this tag; false where that is nothing. */
  clearNotification(tag: string): boolean;
  publish(topic: string, payload: string, options: { retain: boolean; qos: 0 | 1 }): Promise<void>;
  request(request: HttpRequest, signal: AbortSignal): Promise<{ status: number; body: string }>;
  /** ICMP echo requests; `reachable` if one was answered. Does not reject. */
  ping(host: string, how: { count: number; timeoutMs: number }, signal: AbortSignal): Promise<Ping>;
  emit(event: HubEvent): void;
  /** Notifies plugins of a custom event, over MQTT; the hub does not emit it again. Never throws. */
  notifyPlugins(eventType: string, fields: JsonObject): void;
}

/** As much of it as what is about devices needs. */
export type DeviceReads = Pick<HouseReads, "device" | "devices">;

export type RuleHost = HouseReads & HouseEffects;

export interface SunMoments {
  /** The last moment up to `now` and the next one, in epoch ms; undefined if there is none within a year. */
  around(
    moment: { readonly event: SolarEvent; readonly offsetMinutes: number },
    now: number,
  ): { readonly previous: number | undefined; readonly next: number | undefined };
  /** Whether the sun is above the horizon. */
  isUp(at: number): boolean;
  /** Degrees above the horizon; negative below it. */
  elevation(at: number): number;
}
