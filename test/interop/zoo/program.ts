// What a program of the zoo is: how it is started, and the table of what must appear of it.
import type { Zoo } from "./house.ts";

export interface Expected {
  /** What it is; a function says whether the number or text is one that can be. */
  value?: unknown | ((value: unknown) => boolean);
  unit?: string;
}

/** Of what has no value yet, or takes commands only. */
export const nothing = (value: unknown): boolean => value === undefined || value === null;

export const isNumber = (value: unknown): boolean => typeof value === "number";

export interface Commanded {
  /** As the body of `PATCH /devices/:id/state`. */
  send: Record<string, unknown>;
  /** What the device says of itself once the program has obeyed. */
  becomes?: Record<string, unknown>;
  /** What the program publishes or writes once it has obeyed, for what says nothing of itself. */
  obeyed?: (run: Run) => boolean;
}

export interface ExpectedDevice {
  name: string;
  device_type?: string;
  /** All it may have: one more is a failure, unless it has more. */
  hasMore?: boolean;
  attributes: Record<string, Expected>;
  commands?: readonly Commanded[];
}

/** A program that runs. */
export interface Run {
  /** All it has printed. */
  readonly log: string;
  /** Its own folder. */
  readonly folder: string;
  /** As its service would end it. */
  end(): Promise<void>;
}

export interface Program {
  name: string;
  version: string;
  /** What it may publish and receive, beside `homeassistant/#`. */
  topics: readonly string[];
  /** Why it cannot be run here; undefined where it can. */
  missing?(): string | undefined;
  start(zoo: Zoo): Promise<Run>;
  devices: readonly ExpectedDevice[];
  /** Whether all of them are to be unavailable when it has ended as its service would end it. */
  leaves?: boolean;
}
