// /system/config and /system/restart: hub.toml as text with its secrets masked, and starting the hub anew with it.
import { Type } from "@sinclair/typebox";
import { Elysia, t } from "elysia";
import { decodeText } from "../../../kit/schema/decode-text.ts";
import { HubError } from "../../../kit/schema/errors.ts";
import type { Json, JsonObject } from "../../../kit/schema/json.ts";
import type { Problem } from "../../../kit/schema/schema.ts";
import { jsonBody } from "../body.ts";
import type { Callers } from "../callers.ts";
import { doc } from "../doc.ts";

const MAX_BYTES = 1024 * 1024;
/** A key that needs no quotes. */
const EDITABLE_KEY = "^[A-Za-z0-9_-]{1,64}$";

const ConfigProblem = Type.Object({
  path: Type.String({ description: "The key, as notify.channels[1].name" }),
  message: Type.String({ description: "What is wrong, and what would be right" }),
  line: Type.Optional(Type.Integer({ description: "In the text that was sent" })),
  column: Type.Optional(Type.Integer()),
  warning: Type.Optional(Type.Boolean({ description: "The hub uses it all the same" })),
  confined: Type.Optional(Type.Boolean({ description: "The hub starts without the part that is wrong" })),
});
const Checked = Type.Object(
  {
    problems: Type.Array(ConfigProblem, { description: "Neither a warning nor confined: the hub would not start" }),
    changes: Type.Array(Type.String(), {
      description: "What differs from what the hub runs with, such as server.port: it counts after a restart",
    }),
  },
  { $id: "CheckedConfig" },
);

const Examined = Type.Composite([
  Checked,
  Type.Object({ values: Type.Unknown({ description: "What the text says, as JSON; null where it is not TOML" }) }),
]);
const Edits = Type.Object(
  {
    text: Type.String({ maxLength: MAX_BYTES / 2, description: "A text for hub.toml, as it was read or edited" }),
    edits: Type.Array(
      Type.Object(
        {
          path: Type.Array(
            Type.Union([Type.String({ pattern: EDITABLE_KEY }), Type.Integer({ minimum: 0, maximum: 10_000 })]),
            { minItems: 1, maxItems: 8, description: 'Such as ["mqtt", "users", 0, "username"]' },
          ),
          value: Type.Optional(Type.Unknown({ description: "Left out: takes the key, or the entry, away" })),
        },
        { additionalProperties: false },
      ),
      { minItems: 1, maxItems: 100 },
    ),
  },
  { additionalProperties: false },
);

interface CheckedText {
  problems: Problem[];
  changes: string[];
}

/** One value, anywhere: `["plugins", 0, "env"]`. An index behind the last entry adds one; without `value` it is taken away. */
interface PathEdit {
  readonly path: readonly (string | number)[];
  readonly value?: Json | undefined;
}

export interface SystemConfigRoutesDeps {
  configFile: {
    read(): { text: string; etag: string };
    check(edited: string): CheckedText & { values: JsonObject | null };
    edit(edited: string, edits: readonly PathEdit[]): string;
    /** All of hub.toml as JSON Schema, from which the page makes its forms. */
    formSchema(): JsonObject;
    /** Whether it adds a plugin, or changes anything of one but whether it is started. */
    changesPlugins(edited: string): boolean;
    write(edited: string, options: { etag: string | undefined; force: boolean }): CheckedText & { etag: string };
  };
  /** To be called when the response is sent. */
  restart: () => void;
  callers: Pick<Callers, "assertConfirmed">;
}

export function systemConfigRoutes({ configFile, restart, callers }: SystemConfigRoutesDeps) {
  const tag = "system";
  const accepted = new WeakSet<Request>();
  // "text" is never used; with it the OpenAPI document shows the type.
  const text = {
    body: Type.String({ description: "TOML; a secret that is •••, as it was read, stays what it is" }),
    parse: [({ request }: { request: Request }) => readText(request), "text" as const],
  };
  const schema = configFile.formSchema();
  const missing = { not_found: "The hub runs without a hub.toml" };
  return new Elysia({ prefix: "/system" })
    .get(
      "/config",
      function systemConfig() {
        const { text, etag } = configFile.read();
        return new Response(text, {
          headers: { "content-type": "text/plain; charset=utf-8", etag, "cache-control": "no-store" },
        });
      },
      doc({
        access: "admin",
        needsToken: true,
        summary: "hub.toml with its secrets masked, and with an ETag",
        tag,
        answers: { 200: { description: "TOML", contentType: "text/plain", schema: Type.String() } },
        refusals: { ...missing, conflict: "It is not TOML, so that its secrets cannot be masked" },
      }),
    )
    .put(
      "/config",
      function putSystemConfig({ body, query: { force }, request, set }) {
        if (configFile.changesPlugins(body)) callers.assertConfirmed(request);
        const etag = request.headers.get("if-match") ?? undefined;
        const { etag: next, ...checked } = configFile.write(body, { etag, force });
        set.headers.etag = next;
        return checked;
      },
      {
        ...text,
        query: t.Object(
          { force: t.Boolean({ default: false, description: "Also a text of which parts are left out (confined)" }) },
          { additionalProperties: false },
        ),
        ...doc({
          access: "admin",
          needsToken: true,
          audit: "config.change",
          confirmed: "A plugin that is added or changed, but for `enabled`,",
          summary: "Replace hub.toml; with If-Match 409 where it was changed meanwhile",
          tag,
          answers: { 200: { description: "Saved; with what counts after a restart only", schema: Checked } },
          readsElsewhere: [
            { in: "header", name: "If-Match", description: "The ETag it was read with", schema: Type.String() },
          ],
          refusals: { ...missing, conflict: "It was changed meanwhile" },
        }),
      },
    )
    .post("/config/check", ({ body }) => configFile.check(body), {
      ...text,
      ...doc({
        access: "admin",
        keeps: false,
        summary: "Check a text for hub.toml, and save nothing",
        tag,
        answers: { 200: { description: "What is wrong with it, and what it says", schema: Examined } },
        refusals: missing,
      }),
    })
    .get(
      "/config/schema",
      () => schema,
      doc({
        access: "admin",
        summary: "The JSON Schema of hub.toml, with all defaults: forms are made from it",
        tag,
        answers: { 200: { description: "JSON Schema", schema: Type.Unknown() } },
      }),
    )
    .post(
      "/config/edit",
      function editSystemConfig({ body: { text, edits } }) {
        return {
          text: configFile.edit(
            text,
            edits.map(({ path, value }) => ({ path, value: value as Json | undefined })),
          ),
        };
      },
      {
        ...jsonBody(Edits),
        ...doc({
          access: "admin",
          keeps: false,
          summary: "Change values in a text for hub.toml, and save nothing; comments and everything else stay",
          tag,
          answers: { 200: { description: "The changed text", schema: Type.Object({ text: Type.String() }) } },
          refusals: { conflict: "The text is not TOML, or the value has no place that can be edited" },
        }),
      },
    )
    .post(
      "/restart",
      function restartHub({ request, set }) {
        accepted.add(request);
        set.status = 202;
        return { accepted: true as const };
      },
      {
        afterResponse({ request }: { request: Request }) {
          if (accepted.delete(request)) restart();
        },
        ...doc({
          access: "admin",
          audit: "restart",
          keeps: false,
          summary:
            "Restart the hub in place; if it does not start with a changed hub.toml, it goes back to the former one",
          tag,
          answers: {
            202: {
              description: "The hub restarts; plugins too. /health has a small uptime_secs afterwards",
              schema: Type.Object({ accepted: Type.Literal(true) }),
            },
          },
        }),
      },
    );
}

/** Throws HubError `too_large`, or `invalid` with the position of the first byte that is not UTF-8. */
async function readText(request: Request): Promise<string> {
  const bytes = new Uint8Array(await request.arrayBuffer());
  if (bytes.byteLength > MAX_BYTES) throw new HubError("too_large", `hub.toml has at most ${MAX_BYTES} bytes`);
  const decoded = decodeText(bytes);
  if (decoded.ok) return decoded.text;
  throw new HubError("invalid", decoded.problem.message, { details: { problems: [decoded.problem] } });
}
