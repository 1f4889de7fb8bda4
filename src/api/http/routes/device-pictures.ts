// /devices/:id/picture and …/pictures: what cameras show, for whoever may read the device.
import { type Static, Type } from "@sinclair/typebox";
import { Elysia, t } from "elysia";
import type { History } from "../../../house/history/history.ts";
import { parseTime, TIME_FORMS } from "../../../house/history/query/parse-time.ts";
import { type KeptPicture, typeOf } from "../../../house/pictures/picture.ts";
import type { DevicePictures } from "../../../house/pictures/pictures.ts";
import type { Registry } from "../../../house/state/registry.ts";
import { HubError } from "../../../kit/schema/errors.ts";
import { doc } from "../doc.ts";
import { invalid } from "../errors.ts";
import { deviceCalled } from "./devices.ts";

const Picture = Type.Object(
  {
    at: Type.String({ description: "When it came, UTC; what `?at=` takes" }),
    of: Type.Union([Type.String(), Type.Null()], { description: "Which of the device's pictures: `person`" }),
    etag: Type.String(),
    type: Type.String({ description: "`image/jpeg`, `image/png`, `image/gif` or `image/webp`" }),
    size: Type.Integer({ description: "Bytes" }),
  },
  { $id: "DevicePicture" },
);
const of = t.Optional(t.String({ maxLength: 100, description: "Which of the device's pictures: `person`" }));
const closed = { additionalProperties: false } as const;

// It comes from a device: nobody's browser is to take it for anything but a picture.
const HEADERS = {
  "content-security-policy": "default-src 'none'; sandbox",
  "x-content-type-options": "nosniff",
  "cache-control": "private, no-cache",
};

export interface DevicePictureRoutesDeps {
  registry: Pick<Registry, "get" | "find" | "list">;
  pictures: Pick<DevicePictures, "list" | "find">;
  history: Pick<History, "zone">;
}

export function devicePictureRoutes({ registry, pictures, history }: DevicePictureRoutesDeps) {
  const tag = "devices";
  const conflict = "Several devices have this name; the message lists their ids";

  function timeIn(text: string | undefined): number | undefined {
    if (text === undefined) return undefined;
    const at = parseTime(text, history.zone);
    if (at === undefined) throw invalid([{ path: "at", message: TIME_FORMS }]);
    return at;
  }

  return new Elysia({ prefix: "/devices" })
    .get(
      "/:id/picture",
      async function picture({ params, query, request, set }) {
        const { id } = deviceCalled(registry, params.id);
        const at = timeIn(query.at);
        const found = await pictures.find(id, { of: query.of, at });
        if (!found)
          throw new HubError(
            "not_found",
            `"${params.id}" has shown no ${at === undefined ? "such " : ""}picture${at === undefined ? "" : " by then"}`,
          );
        const etag = `"${found.tag}"`;
        const headers = {
          ...(set.headers as Record<string, string>),
          ...HEADERS,
          etag,
          "last-modified": new Date(found.at).toUTCString(),
        };
        if (isKnown(request, etag, found.at)) return new Response(null, { status: 304, headers });
        return new Response(found.bytes as Uint8Array<ArrayBuffer>, {
          headers: { ...headers, "content-type": typeOf(found) },
        });
      },
      {
        query: t.Object(
          { at: t.Optional(t.String({ description: "The last one by this time, instead of the newest" })), of },
          closed,
        ),
        ...doc({
          access: "viewer",
          summary: "The newest picture of a device, or that of a time",
          tag,
          answers: {
            200: { description: "The picture, with ETag and Last-Modified", schema: BINARY, contentType: "image/*" },
            304: { description: "It is still the one of If-None-Match or If-Modified-Since" },
          },
          refusals: { not_found: "No such device, or it has shown no such picture", conflict },
        }),
      },
    )
    .get(
      "/:id/pictures",
      async ({ params, query }) => (await pictures.list(deviceCalled(registry, params.id).id, query.of)).map(bodyOf),
      {
        query: t.Object({ of }, closed),
        ...doc({
          access: "viewer",
          summary: "Which pictures of a device are kept",
          tag,
          answers: { 200: { description: "The pictures, the newest first", schema: Type.Array(Picture) } },
          refusals: { conflict },
        }),
      },
    );
}

const BINARY = Type.String({ format: "binary" });

/** RFC 9110, 13.2.2: the tag counts where there is one. */
function isKnown({ headers }: Request, etag: string, at: number): boolean {
  const tags = headers.get("if-none-match");
  if (tags !== null) return tags.split(",").some((one) => ["*", etag].includes(one.trim().replace(/^W\//, "")));
  const since = Date.parse(headers.get("if-modified-since") ?? "");
  return Number.isFinite(since) && Math.floor(at / 1000) * 1000 <= since;
}

function bodyOf(picture: KeptPicture): Static<typeof Picture> {
  const { at, of: kind, tag, size } = picture;
  return {
    at: new Date(at).toISOString(),
    of: kind === "" ? null : kind,
    etag: `"${tag}"`,
    type: typeOf(picture),
    size,
  };
}
