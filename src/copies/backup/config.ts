// [backup]: when scheduled backups are made, where they go, and how many are kept.
import { type Static, Type } from "@sinclair/typebox";
import type { Problem } from "../../kit/schema/schema.ts";
import { BackupTargets, targetProblems } from "./remote/config.ts";

export const BackupSection = Type.Object(
  {
    schedule: Type.Optional(
      Type.String({
        minLength: 1,
        description: 'Six fields, seconds first: "0 30 3 * * *" is every night at half past three',
      }),
    ),
    keep: Type.Integer({ default: 7, minimum: 1, maximum: 1000, description: "Older ones of this folder are removed" }),
    directory: Type.String({ default: "backups", minLength: 1, description: "Relative to HUB_HOME" }),
    notify_channel: Type.Optional(
      Type.String({ minLength: 1, description: "Gets a message when a scheduled backup fails" }),
    ),
    passphrase: Type.Optional(
      Type.String({ minLength: 8, secret: true, description: "Encrypts the scheduled backups, in the age format" }),
    ),
    targets: BackupTargets,
  },
  { additionalProperties: false, default: {} },
);
export type BackupSection = Static<typeof BackupSection>;

/** Problems that the schema cannot find. `cronProblem` returns what is wrong with a cron expression. */
export function backupProblems(
  { schedule, notify_channel, passphrase, targets }: BackupSection,
  { cronProblem, channels }: { cronProblem: (text: string) => string | undefined; channels: readonly string[] },
): Problem[] {
  const problems: Problem[] = [];
  const wrong = schedule === undefined ? undefined : cronProblem(schedule);
  if (wrong !== undefined) problems.push({ path: "backup.schedule", message: wrong });
  if (notify_channel !== undefined && !channels.includes(notify_channel))
    problems.push({
      path: "backup.notify_channel",
      message: `there is no channel "${notify_channel}"; name one of ${channels.join(", ")}`,
    });
  return [...problems, ...targetProblems(targets, passphrase !== undefined)];
}
