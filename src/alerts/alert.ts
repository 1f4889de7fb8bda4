// What an alert is: a problem of the hub itself with a beginning and an end. And what finds one: a watch.
import { type Static, Type } from "@sinclair/typebox";

export const AlertKind = Type.Union(
  [
    Type.Literal("disk_nearly_full"),
    Type.Literal("disk_full"),
    Type.Literal("disk_failing"),
    Type.Literal("write_allowance"),
    Type.Literal("database_lost"),
    Type.Literal("plugin_down"),
    Type.Literal("plugin_crash_loop"),
    Type.Literal("backup_overdue"),
    Type.Literal("clock_stepped"),
    Type.Literal("unclean_stop"),
    Type.Literal("memory"),
    Type.Literal("flood"),
    Type.Literal("certificate"),
  ],
  { description: "What it is about" },
);
export type AlertKind = Static<typeof AlertKind>;

export const Severity = Type.Union([Type.Literal("info"), Type.Literal("warning"), Type.Literal("critical")]);
export type Severity = Static<typeof Severity>;

/** A problem as it is found now. */
export interface Finding {
  kind: AlertKind;
  /** Which of several of its kind: a plugin's id, a limit. */
  about?: string;
  severity: Severity;
  message: string;
  /** What to do. */
  mend: string;
}

/** Looks for problems of one sort. Cheap: it is asked every few seconds, and remembers what it needs by itself. */
export interface Watch {
  readonly name: string;
  /** `isRaised`: whether an alert it reported earlier is still on, so that it may end later than it began. */
  look(isRaised: (kind: AlertKind, about?: string) => boolean): readonly Finding[];
}

export interface Alert extends Finding {
  readonly id: string;
  /** Epoch ms. */
  readonly since: number;
  /** Epoch ms; undefined while it lasts. */
  until: number | undefined;
}

export function alertId({ kind, about }: Pick<Finding, "kind" | "about">): string {
  return about === undefined ? kind : `${kind}:${about}`;
}
