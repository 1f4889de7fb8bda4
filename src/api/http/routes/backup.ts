// /system/backup, /system/backups, /system/restore: downloading, listing and restoring archives.
import { Type } from "@sinclair/typebox";
import { Elysia, t } from "elysia";
import { Counts } from "../../../copies/backup/archive/manifest.ts";
import type { Backups } from "../../../copies/backup/backups.ts";
import type { Accepted, Restores } from "../../../copies/backup/restore/restores.ts";
import type { Staged } from "../../../copies/backup/restore/stage.ts";
import type { ScheduledBackup } from "../../../copies/backup/scheduled-backups.ts";
import { keepOpen } from "../body.ts";
import type { Callers } from "../callers.ts";
import { doc } from "../doc.ts";

const nullable = Type.Union([Type.String(), Type.Null()]);

const Shelved = Type.Object({
  name: Type.String(),
  at: Type.String({ description: "UTC" }),
  bytes: Type.Integer(),
  encrypted: Type.Boolean(),
  counts: Type.Union([Counts, Type.Null()], { description: "null where it is encrypted" }),
  hub_version: nullable,
  problem: Type.Union([Type.String(), Type.Null()], { description: "Why it cannot be read now" }),
});

export const AcceptedRestore = Type.Object({
  accepted: Type.Boolean({ description: "false for a dry run" }),
  counts: Counts,
  created_at: nullable,
  hub_version: nullable,
  warnings: Type.Array(Type.String()),
});

export interface BackupRouteDeps {
  backups: Pick<Backups, "download" | "list">;
  restores: Pick<Restores, "receive" | "inspect">;
  callers: Pick<Callers, "assertConfirmed">;
}

export function backupRoutes({ backups, restores, callers }: BackupRouteDeps) {
  const tag = "system";
  const pending = new WeakMap<Request, Accepted>();
  return new Elysia({ prefix: "/system" })
    .post(
      "/backup",
      async function backup({ request, server }) {
        keepOpen(server, request);
        const { name, stream, end } = await backups.download();
        // The client left during the snapshots: the stream will be neither read nor cancelled.
        if (request.signal.aborted) await end();
        else request.signal.addEventListener("abort", () => void end());
        return new Response(stream, {
          headers: {
            "content-type": "application/zip",
            "content-disposition": `attachment; filename="${name}"`,
            "cache-control": "no-store",
          },
        });
      },
      doc({
        access: "admin",
        needsToken: true,
        audit: "backup.download",
        keeps: false,
        summary: "Create and download a backup archive",
        tag,
        answers: {
          200: {
            description: "The archive, with every secret of the home in it",
            contentType: "application/zip",
            schema: Type.String(),
          },
        },
        refusals: {
          in_use: "A backup or a restore is under way",
          conflict: "A restore was interrupted",
          too_large: "More than an archive can hold",
          storage: "Not enough free space; the message has the numbers",
          unavailable: "The hub is stopping",
        },
      }),
    )
    .get(
      "/backups",
      async () => (await backups.list()).map(shelvedEntry),
      doc({
        access: "admin",
        summary: "The scheduled backups, newest first",
        tag,
        answers: {
          200: { description: "Each was read back and verified when it was made", schema: Type.Array(Shelved) },
        },
        refusals: { part_off: "Backups are off in a safe start" },
      }),
    )
    .post(
      "/restore",
      async function restore({ request, server, query }) {
        if (!query.dry_run) callers.assertConfirmed(request);
        keepOpen(server, request);
        const length = request.headers.get("content-length");
        const upload = {
          body: request.body,
          bytes: length === null ? undefined : Number(length),
          passphrase: request.headers.get("x-backup-passphrase") ?? undefined,
        };
        const headers = { "cache-control": "no-store" };
        if (query.dry_run) return Response.json(stagedEntry(await restores.inspect(upload), false), { headers });
        const accepted = await restores.receive(upload);
        pending.set(request, accepted);
        return Response.json(stagedEntry(accepted, true), { status: 202, headers });
      },
      {
        parse: "none" as const,
        query: t.Object(
          { dry_run: t.Boolean({ default: false, description: "Verify all of it, and change nothing" }) },
          { additionalProperties: false },
        ),
        afterResponse({ request }: { request: Request }) {
          pending.get(request)?.restart();
        },
        ...doc({
          access: "admin",
          audit: { action: "restore.accept", unless: "dry_run" },
          confirmed: "All but a dry run",
          keeps: false,
          summary: "Restore an archive (the zip as the body) and restart with it",
          tag,
          streamedBody: true,
          answers: {
            200: { description: "A dry run: what would be restored", schema: AcceptedRestore },
            202: {
              description: "Verified; the hub restarts. /system/status has the result",
              schema: AcceptedRestore,
            },
          },
          rawBody: { description: "The zip, encrypted or not", contentType: "application/zip", required: true },
          readsElsewhere: [
            {
              in: "header",
              name: "X-Backup-Passphrase",
              description: "Of an encrypted archive, where it is not [backup] passphrase",
              schema: Type.String(),
            },
          ],
          refusals: {
            invalid: "The archive is refused, with the reason. Nothing was changed",
            in_use: "A backup or a restore is under way",
            conflict: "A restore was interrupted",
            storage: "Not enough free space; the message has the numbers",
            unavailable: "The hub is stopping",
          },
        }),
      },
    );
}

function shelvedEntry({ name, at, bytes, encrypted, counts, hubVersion, problem }: ScheduledBackup) {
  return { name, at, bytes, encrypted, counts, hub_version: hubVersion, problem };
}

export function stagedEntry({ counts, manifest, warnings }: Staged, accepted: boolean) {
  return {
    accepted,
    counts,
    created_at: manifest?.created_at ?? null,
    hub_version: manifest?.hub_version ?? null,
    warnings: [...warnings],
  };
}
