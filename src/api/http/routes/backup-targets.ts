// /system/backups/targets and what belongs to it: copies of the backups elsewhere, and the way back from one.
import { Type } from "@sinclair/typebox";
import { Elysia, t } from "elysia";
import type { Backups } from "../../../copies/backup/backups.ts";
import { addressOf } from "../../../copies/backup/remote/config.ts";
import type { HouseCopies } from "../../../copies/backup/remote/jobs.ts";
import type { RemoteBackups, RemoteTarget } from "../../../copies/backup/remote/remote-backups.ts";
import type { Visits } from "../../../copies/backup/remote/visits.ts";
import type { Accepted, Restores } from "../../../copies/backup/restore/restores.ts";
import { HubError } from "../../../kit/schema/errors.ts";
import { isoSeconds } from "../../../kit/time/clock.ts";
import { jsonBody, keepOpen } from "../body.ts";
import type { Callers } from "../callers.ts";
import { created } from "../crud.ts";
import { doc } from "../doc.ts";
import { AcceptedRestore, stagedEntry } from "./backup.ts";

const nullable = (description: string) => Type.Union([Type.String(), Type.Null()], { description });

const Copy = Type.Object({
  name: Type.String(),
  at: Type.String({ description: "UTC, from its name" }),
  bytes: Type.Integer(),
  encrypted: Type.Boolean(),
});

const Target = Type.Object({
  name: Type.String(),
  type: Type.String({ description: "s3, webdav, sftp or folder" }),
  address: Type.String({ description: "Without secrets" }),
  doing: Type.String({ description: "idle, waiting, copying or checking" }),
  progress: Type.Union([Type.Number({ minimum: 0, maximum: 1 }), Type.Null()], { description: "Of the present copy" }),
  last_success: nullable("UTC; when everything was there the last time"),
  failing_since: nullable("UTC; null while it works"),
  problem: nullable("Why it failed the last time, and what to do"),
  next: nullable("UTC; when it is tried, or looked at, again"),
  checked_at: nullable("UTC; when a copy was fetched, decrypted and checked as a whole"),
  checked_copy: nullable("Which one"),
  check_problem: nullable("What was wrong with it"),
  other_hubs: Type.Array(Type.String(), { description: "Others that save the same house there" }),
  copies: Type.Array(
    Type.Composite([Copy, Type.Object({ verified_at: nullable("UTC; when this hub read it back") })]),
    { description: "Newest first, as they were found the last time" },
  ),
});

const Sheet = Type.Optional(
  Type.String({ maxLength: 100_000, description: "The text of a recovery sheet, instead of hub.toml" }),
);
const Houses = Type.Array(
  Type.Object({ house: Type.String(), copies: Type.Array(Copy, { description: "Newest first" }) }),
);
const PlaceBody = Type.Object(
  { sheet: Sheet, target: Type.Optional(Type.String({ description: "The only one, when absent" })) },
  { additionalProperties: false },
);
const RestoreBody = Type.Object(
  {
    target: Type.String(),
    sheet: Sheet,
    name: Type.String({ description: "Of the copy, or `latest`" }),
    house: Type.Optional(Type.String({ description: "Where there are several" })),
    passphrase: Type.Optional(Type.String({ description: "Where it is not the one of hub.toml or the sheet" })),
    dry_run: Type.Optional(Type.Boolean({ description: "Verify all of it, and change nothing" })),
  },
  { additionalProperties: false },
);

export interface BackupTargetRouteDeps {
  backups: Pick<Backups, "make">;
  restores: Pick<Restores, "receive" | "inspect">;
  /** Undefined without [[backup.targets]]. */
  remote: Pick<RemoteBackups, "list" | "test"> | undefined;
  visits: () => Visits;
  recoverySheet: () => string;
  callers: Pick<Callers, "assertConfirmed">;
}

const upstream_failed = "The target does not answer, or refuses: the reason, and what to do";

const BACKUP_OFF = { part_off: "Backups are off in a safe start" } as const;

export function backupTargetRoutes({
  backups,
  restores,
  remote,
  visits,
  recoverySheet,
  callers,
}: BackupTargetRouteDeps) {
  const tag = "system";
  const pending = new WeakMap<Request, Accepted>();
  return new Elysia({ prefix: "/system" })
    .post(
      "/backups",
      async function makeBackup({ request, server, set }) {
        keepOpen(server, request);
        return created(set, { name: await backups.make() });
      },
      doc({
        access: "admin",
        audit: "backup.make",
        keeps: false,
        summary: "Make a backup as the schedule does, and copy it to every target",
        tag,
        answers: { 201: { description: "It is in the hub's folder", schema: Type.Object({ name: Type.String() }) } },
        refusals: {
          in_use: "A backup or a restore is under way",
          conflict: "A restore was interrupted, or there is one of this second",
          too_large: "More than an archive can hold",
          storage: "Not enough free space; the message has the numbers",
          unavailable: "The hub is stopping",
        },
      }),
    )
    .get(
      "/backups/remote",
      () => (remote?.list() ?? []).map(targetEntry),
      doc({
        access: "admin",
        summary: "The places elsewhere that get copies of the backups, and the copies there",
        tag,
        answers: { 200: { description: "In the order of hub.toml", schema: Type.Array(Target) } },
        refusals: BACKUP_OFF,
      }),
    )
    .post(
      "/backups/targets/:name/test",
      async function testTarget({ params: { name }, request, server }) {
        keepOpen(server, request);
        if (!remote) throw new HubError("not_found", `there is no [[backup.targets]] "${name}"`);
        await remote.test(name);
        return { ok: true };
      },
      {
        params: t.Object({ name: t.String() }),
        ...doc({
          access: "admin",
          audit: "backup.test",
          keeps: false,
          summary: "Write, read and remove a small file there, and then bring it up to date",
          tag,
          answers: { 200: { description: "It works", schema: Type.Object({ ok: Type.Boolean() }) } },
          refusals: { upstream_failed, unavailable: "The hub is stopping" },
        }),
      },
    )
    .post(
      "/backups/recovery",
      () =>
        new Response(recoverySheet(), {
          headers: {
            "content-type": "text/plain; charset=utf-8",
            "content-disposition": 'attachment; filename="recovery-sheet.toml"',
            "cache-control": "no-store",
          },
        }),
      doc({
        access: "admin",
        needsToken: true,
        audit: "backup.recovery_sheet",
        keeps: false,
        summary:
          "The recovery sheet: what brings the house back from a copy on a new machine. Keep it outside the house",
        tag,
        answers: {
          200: {
            description: "With the passphrase and the credentials of the targets",
            contentType: "text/plain",
            schema: Type.String(),
          },
        },
        refusals: { invalid: "There are no targets", storage: "A key file cannot be read" },
      }),
    )
    .post(
      "/backups/look",
      async function lookAround({ body: { target, sheet }, request, server }) {
        keepOpen(server, request);
        const places = visits().places(sheet);
        const name = target ?? places[0]?.name ?? "";
        return {
          targets: places.map((place) => ({ name: place.name, address: addressOf(place.config) })),
          target: name,
          houses: await housesOf(visits().look({ target: name, sheet })),
        };
      },
      {
        ...jsonBody(PlaceBody),
        ...doc({
          access: "admin",
          keeps: false,
          summary: "The copies at a target, of all houses",
          tag,
          answers: {
            200: {
              description: "Those of the first target where none is named",
              schema: Type.Object({
                targets: Type.Array(Type.Object({ name: Type.String(), address: Type.String() })),
                target: Type.String(),
                houses: Houses,
              }),
            },
          },
          refusals: {
            upstream_failed,
            invalid: "No such target, or the sheet cannot be used",
            in_use: "Somebody else is looking",
          },
        }),
      },
    )
    .post(
      "/restore-copy",
      async function restoreCopy({ body: { passphrase, dry_run, ...wanted }, request, server }) {
        if (!dry_run) callers.assertConfirmed(request);
        keepOpen(server, request);
        const copy = await visits().open(wanted);
        const upload = { body: copy.body, bytes: copy.bytes, passphrase: passphrase ?? copy.passphrase };
        const headers = { "cache-control": "no-store" };
        try {
          if (dry_run) return Response.json(stagedEntry(await restores.inspect(upload), false), { headers });
          const accepted = await restores.receive(upload);
          pending.set(request, accepted);
          return Response.json(stagedEntry(accepted, true), { status: 202, headers });
        } catch (error) {
          if (!copy.body.locked) await copy.body.cancel();
          throw error;
        }
      },
      {
        ...jsonBody(RestoreBody),
        afterResponse({ request }: { request: Request }) {
          pending.get(request)?.restart();
        },
        ...doc({
          access: "admin",
          audit: "restore.accept",
          confirmed: "All but a dry run",
          keeps: false,
          summary: "Fetch a copy, restore it and restart with it",
          tag,
          answers: {
            200: { description: "A dry run: what would be restored", schema: AcceptedRestore },
            202: { description: "Verified; the hub restarts. /system/status has the result", schema: AcceptedRestore },
          },
          refusals: {
            invalid: "The copy is refused, with the reason; or the sheet cannot be used. Nothing was changed",
            not_found: "There is no such copy",
            in_use: "A backup or a restore is under way",
            conflict: "A restore was interrupted",
            storage: "Not enough free space; the message has the numbers",
            upstream_failed,
            unavailable: "The hub is stopping",
          },
        }),
      },
    );
}

async function housesOf(found: Promise<HouseCopies[]>) {
  return (await found).map(({ house, copies }) => ({ house, copies: copies.map((copy) => ({ ...copy })) }));
}

function targetEntry({ config, state, doing, progress, next }: RemoteTarget) {
  return {
    name: config.name,
    type: config.type,
    address: addressOf(config),
    doing,
    progress: progress?.kind === "moved" && progress.bytes > 0 ? Math.min(1, progress.done / progress.bytes) : null,
    last_success: state.last_success,
    failing_since: state.failing_since,
    problem: state.problem,
    next: next === undefined ? null : isoSeconds(next),
    checked_at: state.checked_at,
    checked_copy: state.checked_copy,
    check_problem: state.check_problem,
    other_hubs: [...state.others],
    copies: state.copies.map((copy) => ({ ...copy, verified_at: state.verified[copy.name] ?? null })),
  };
}
