// An alert is a problem of the hub itself, with a beginning and an end. A watch finds such problems.
import { type Static, Type } from "@sinclair/typebox";

export const AlertKind = Type.Union(
  [
    Type.Literal("disk_nearly_full"),
    Type.Literal("disk_full"),
    Type.Literal("disk_failing"),
    Type.Literal("write_allowance"),
    Type.Literal("database_lost"),
    Type.Literal("database_exchanged"),
    Type.Literal("plugin_down"),
    Type.Literal("plugin_crash_loop"),
    Type.Literal("backup_overdue"),
    Type.Literal("clock_stepped"),
    Type.Literal("unclean_stop"),
    Type.Literal("part_off"),
    Type.Literal("memory"),
    Type.Literal("flood"),
    Type.Literal("password_guessing"),
    Type.Literal("certificate"),
    Type.Literal("calendar"),
    Type.Literal("history_export"),
    Type.Literal("mqtt_broker"),
    Type.Literal("standby"),
    Type.Literal("lease"),
    Type.Literal("took_over"),
    Type.Literal("rules_renamed_attributes"),
  ],
  { description: "What it is about" },
);
export type AlertKind = Static<typeof AlertKind>;

export const Severity = Type.Union([Type.Literal("info"), Type.Literal("warning"), Type.Literal("critical")]);
export type Severity = Static<typeof Severity>;

/** A problem that exists now. */
export interface Finding {
  kind: AlertKind;
  /** Distinguishes problems of one kind: a plugin's id, a limit. */
  about?: string | undefined;
  severity: Severity;
  message: string;
  /** What to do. */
  mend: string;
  /** Which of several sentences of its kind `message` is; with `values`, for those who have words of their own for it. */
  variant?: string;
  /** What stands in the sentence: numbers, names, and reasons that others gave. */
  values?: Readonly<Record<string, string | number>>;
}

/** Looks for problems of one sort. It is called every few seconds, so it must be cheap, and keeps its own state. */
export interface Watch {
  readonly name: string;
  /** `isRaised`: whether an alert it found earlier still lasts, so that its end can have another threshold than its beginning. */
  check(isRaised: (kind: AlertKind, about?: string) => boolean): readonly Finding[];
}

export interface Alert extends Finding {
  readonly id: string;
  /** Epoch ms. */
  readonly since: number;
  /** Epoch ms; undefined while it lasts. */
  until: number | undefined;
}

/** What a finding says, besides its sentences. */
export function saidBy({ variant, values }: Finding): Pick<Finding, "variant" | "values"> {
  return { ...(variant !== undefined && { variant }), ...(values && { values }) };
}

export function alertId({ kind, about }: Pick<Finding, "kind" | "about">): string {
  return about === undefined ? kind : `${kind}:${about}`;
}
