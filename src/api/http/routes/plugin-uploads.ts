// Plugins that people upload: POST and DELETE /plugins, /plugins/:id/rollback, and /plugin-uploads.
import { Type } from "@sinclair/typebox";
import { Elysia, t } from "elysia";
import { HubError } from "../../../kit/schema/errors.ts";
import { isoSeconds } from "../../../kit/time/clock.ts";
import { PluginEntry } from "../../../reach/plugins/config.ts";
import type { Language } from "../../../reach/plugins/script.ts";
import { MAX_PLUGIN_BYTES, type PluginUploads, type Uploaded } from "../../../reach/plugins/uploads.ts";
import type { Callers } from "../callers.ts";
import { doc } from "../doc.ts";
import { Plugin } from "./plugins.ts";

const closed = { additionalProperties: false } as const;
const LANGUAGES: Readonly<Record<string, Language>> = {
  "text/javascript": "js",
  "application/javascript": "js",
  "text/typescript": "ts",
  "application/typescript": "ts",
};

const Version = Type.Object({ bytes: Type.Integer(), at: Type.String({ description: "UTC, when it was uploaded" }) });
const UploadedPlugin = Type.Object({
  id: Type.String(),
  file: Type.String({ description: "The name of its program in plugins/ID/bin" }),
  ...Version.properties,
  previous: Type.Union([Version, Type.Null()], { description: "The program before, to go back to" }),
});

export interface PluginUploadRoutesDeps {
  uploads: Pick<PluginUploads, "install" | "list" | "remove" | "rollBack">;
  callers: Pick<Callers, "assertConfirmed">;
}

export function pluginUploadRoutes({ uploads, callers }: PluginUploadRoutesDeps) {
  const tag = "plugins";
  const answers = { 200: { description: "The plugin", schema: Plugin } };
  const unavailable = "Plugins are off, the hub is stopping, or the plugin cannot be ended";
  const storage = "The disk is full, or hub.toml or plugins/ cannot be written";
  return new Elysia()
    .get(
      "/plugin-uploads",
      () => uploads.list().map(entryOf),
      doc({
        access: "admin",
        summary: "The plugins that were uploaded",
        tag,
        answers: { 200: { description: "The uploads", schema: Type.Array(UploadedPlugin) } },
        refusals: { unavailable: "Plugins are off" },
      }),
    )
    .post(
      "/plugins",
      async function uploadPlugin({ query, body, request, set }) {
        callers.assertConfirmed(request);
        const language = LANGUAGES[typeOf(request)];
        if (language === undefined || !(body instanceof Uint8Array))
          throw new HubError(
            "invalid",
            "the body must be the program, with Content-Type: text/javascript or text/typescript",
          );
        const { record, isNew } = await uploads.install({ ...query, language, source: body });
        set.status = isNew ? 201 : 200;
        return record;
      },
      {
        query: t.Object(
          {
            id: PluginEntry.properties.id,
            enabled: t.Boolean({ default: true, description: "Whether a new one is started, now and with the hub" }),
            replace: t.Boolean({
              default: false,
              description: "Exchanges the program of one that was uploaded before; that is kept for going back",
            }),
          },
          closed,
        ),
        parse: async ({ request }) => new Uint8Array(await request.arrayBuffer()),
        transform: refuseOtherTypes,
        ...doc({
          access: "admin",
          audit: "plugin.install",
          confirmed: "It",
          summary: "Install a plugin: its program as the body; it runs at once",
          tag,
          maxBody: MAX_PLUGIN_BYTES,
          answers: { 201: { description: "It is new", schema: Plugin }, ...answers },
          rawBody: {
            description: "One file, as UTF-8; as text/typescript too",
            contentType: "text/javascript",
            required: true,
          },
          refusals: {
            invalid: "The program does not parse, or imports what is not there",
            conflict: "The id is taken, the plugin was not uploaded, or hub.toml must be edited by hand",
            too_large: "It has more than 8 MiB",
            unsupported_media_type: "The body is neither text/javascript nor text/typescript",
            storage,
            unavailable,
          },
        }),
      },
    )
    .post(
      "/plugins/:id/rollback",
      ({ params, request }) => {
        // Of another one it is said first that it was not uploaded.
        if (uploads.list().some(({ id }) => id === params.id)) callers.assertConfirmed(request);
        return uploads.rollBack(params.id);
      },
      doc({
        access: "admin",
        audit: "plugin.rollback",
        confirmed: "It",
        summary: "Go back to the program before; once more comes back to this one",
        tag,
        answers,
        refusals: { conflict: "It was not uploaded, or there is no program before", storage, unavailable },
      }),
    )
    .delete(
      "/plugins/:id",
      async ({ params }) => {
        await uploads.remove(params.id);
        return new Response(null, { status: 204 });
      },
      doc({
        access: "admin",
        audit: "plugin.remove",
        summary: "Remove one that was uploaded; its folder goes to plugins/.trash",
        tag,
        answers: { 204: { description: "It is gone" } },
        refusals: { conflict: "It was not uploaded, or hub.toml must be edited by hand", storage, unavailable },
      }),
    );
}

/** Not when the body is read: before this hook it is not certain that the caller may do this at all. */
function refuseOtherTypes({ request }: { request: Request }): void {
  const type = typeOf(request);
  if (type === "" || Object.hasOwn(LANGUAGES, type)) return;
  throw new HubError("unsupported_media_type", "the body must be text/javascript or text/typescript");
}

function typeOf({ headers }: Request): string {
  return (headers.get("content-type") ?? "").replace(/\s*;.*$/s, "").toLowerCase();
}

function entryOf({ id, file, bytes, at, previous }: Uploaded) {
  return {
    ...{ id, file, bytes, at: isoSeconds(at) },
    previous: previous && { bytes: previous.bytes, at: isoSeconds(previous.at) },
  };
}
