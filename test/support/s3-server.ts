// A small S3 on 127.0.0.1 that checks signatures (SigV4, by header) and sums: one bucket, in memory, in the path or in the host; over
// TLS where a certificate is given.
import { createHash, createHmac } from "node:crypto";

export interface S3Server extends AsyncDisposable {
  readonly endpoint: string;
  readonly objects: Map<string, Uint8Array>;
  /** Unfinished ones: id → key. */
  readonly uploads: Map<string, string>;
  /** Their parts by id and number. */
  readonly parts: Map<string, Map<number, Uint8Array>>;
  /** `GET /bucket/key?…` */
  readonly requests: string[];
  /** Answers instead of the server, where it gives something. */
  fault: (request: Request, url: URL) => Response | Promise<Response> | undefined;
}

const KEY = { access_key_id: "HOUSEKEY", secret_access_key: "the key's secret" };
const REGION = "eu-test-1";

export function s3Target(server: Pick<S3Server, "endpoint">, more: Record<string, unknown> = {}) {
  return { type: "s3", name: "bucket", endpoint: server.endpoint, bucket: "house", region: REGION, ...KEY, ...more };
}

export function startS3Server(tls?: { key: string; cert: string }): S3Server {
  const objects = new Map<string, Uint8Array>();
  const uploads = new Map<string, string>();
  const parts = new Map<string, Map<number, Uint8Array>>();
  const requests: string[] = [];
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 0,
    ...(tls && { tls }),
    async fetch(request) {
      const url = new URL(request.url);
      requests.push(`${request.method} ${url.pathname}${url.search}`);
      const faulty = await self.fault(request, url);
      if (faulty) return faulty;
      const refused = refusalOf(request, url);
      if (refused) return refused;
      const parted = url.pathname.slice(1).split("/").map(decodeURIComponent);
      const [bucket, ...rest] = url.hostname.startsWith("house.") ? ["house", ...parted] : parted;
      if (bucket !== "house") return failure(404, "NoSuchBucket");
      return rest.join("/") === "" ? list(url.searchParams) : object(request, rest.join("/"), url.searchParams);
    },
  });

  function list(query: URLSearchParams): Response {
    const prefix = query.get("prefix") ?? "";
    if (query.has("uploads")) {
      const found = [...uploads].filter(([, key]) => key.startsWith(prefix));
      return xml(
        "ListMultipartUploadsResult",
        found.map(([id, key]) => `<Upload><Key>${key}</Key><UploadId>${id}</UploadId></Upload>`).join(""),
      );
    }
    const keys = [...objects.keys()].filter((key) => key.startsWith(prefix)).sort();
    const inside = keys.filter((key) => !key.slice(prefix.length).includes("/"));
    const folders = new Set(
      keys.flatMap((key) => {
        const end = key.indexOf("/", prefix.length);
        return end < 0 ? [] : [key.slice(0, end + 1)];
      }),
    );
    const contents = inside.map(
      (key) => `<Contents><Key>${key}</Key><Size>${objects.get(key)?.length}</Size><ETag>"x"</ETag></Contents>`,
    );
    const prefixes = [...folders].map((folder) => `<CommonPrefixes><Prefix>${folder}</Prefix></CommonPrefixes>`);
    return xml("ListBucketResult", `<IsTruncated>false</IsTruncated>${contents.join("")}${prefixes.join("")}`);
  }

  async function object(request: Request, key: string, query: URLSearchParams): Promise<Response> {
    const id = query.get("uploadId") ?? "";
    switch (request.method) {
      case "GET": {
        if (id !== "") return listParts(id);
        const found = objects.get(key);
        return found ? new Response(found.slice()) : failure(404, "NoSuchKey");
      }
      case "PUT": {
        const bytes = await request.bytes();
        const md5 = createHash("md5").update(bytes);
        if (request.headers.get("content-md5") !== md5.copy().digest("base64")) return failure(400, "BadDigest");
        if (id === "") objects.set(key, bytes);
        else parts.get(id)?.set(Number(query.get("partNumber")), bytes);
        return new Response("", { headers: { etag: `"${md5.digest("hex")}"` } });
      }
      case "POST":
        return query.has("uploads") ? begin(key) : complete(id, { key, list: await request.text() });
      case "DELETE":
        if (id === "") objects.delete(key);
        else uploads.delete(id);
        return new Response(null, { status: 204 });
      default:
        return failure(405, "MethodNotAllowed");
    }
  }

  function begin(key: string): Response {
    const id = `upload-${uploads.size + 1}-${Date.now()}`;
    uploads.set(id, key);
    parts.set(id, new Map());
    return xml("InitiateMultipartUploadResult", `<UploadId>${id}</UploadId>`);
  }

  function listParts(id: string): Response {
    const found = [...(parts.get(id) ?? [])].map(
      ([number, bytes]) => `<Part><PartNumber>${number}</PartNumber><ETag>"${md5Of(bytes)}"</ETag></Part>`,
    );
    return xml("ListPartsResult", `<IsTruncated>false</IsTruncated>${found.join("")}`);
  }

  function complete(id: string, { key, list: wanted }: { key: string; list: string }): Response {
    const there = parts.get(id) ?? new Map<number, Uint8Array>();
    const named = [...wanted.matchAll(/<PartNumber>(\d+)<\/PartNumber><ETag>"(\w+)"/g)];
    const ordered = named.map(([, number, etag]) => {
      const bytes = there.get(Number(number));
      return bytes && md5Of(bytes) === etag ? bytes : undefined;
    });
    if (ordered.length === 0 || ordered.includes(undefined)) return failure(400, "InvalidPart");
    objects.set(key, new Uint8Array(Buffer.concat(ordered.flatMap((bytes) => bytes ?? []))));
    uploads.delete(id);
    return xml("CompleteMultipartUploadResult", '<ETag>"x"</ETag>');
  }

  const self: S3Server = {
    endpoint: `${tls ? "https" : "http"}://127.0.0.1:${server.port}`,
    objects,
    uploads,
    parts,
    requests,
    fault: () => undefined,
    [Symbol.asyncDispose]: () => server.stop(true),
  };
  return self;
}

function refusalOf(request: Request, url: URL): Response | undefined {
  const given = /Credential=([^/]+)\/(\d+)\/([^/]+)\/s3\/aws4_request, ?SignedHeaders=([^,]+), ?Signature=(\w+)/.exec(
    request.headers.get("authorization") ?? "",
  );
  const [, id, day = "", region = "", names = "", signature] = given ?? [];
  if (id !== KEY.access_key_id) return failure(403, "InvalidAccessKeyId");
  const headers = names.split(";").map((name) => `${name}:${request.headers.get(name)?.trim()}\n`);
  const query = [...url.searchParams]
    .map(([name, value]) => `${escaped(name)}=${escaped(value)}`)
    .sort()
    .join("&");
  const path = url.pathname.split("/").map(decodeURIComponent).map(escaped).join("/");
  const content = request.headers.get("x-amz-content-sha256");
  const canonical = [request.method, path, query, headers.join(""), names, content].join("\n");
  const scope = `${day}/${region}/s3/aws4_request`;
  const toSign = ["AWS4-HMAC-SHA256", request.headers.get("x-amz-date"), scope, sha256(canonical)].join("\n");
  const key = [day, region, "s3", "aws4_request"].reduce<Buffer | string>(
    (secret, part) => createHmac("sha256", secret).update(part).digest(),
    `AWS4${KEY.secret_access_key}`,
  );
  const expected = createHmac("sha256", key).update(toSign).digest("hex");
  return signature === expected && region === REGION ? undefined : failure(403, "SignatureDoesNotMatch");
}

function escaped(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function md5Of(bytes: Uint8Array): string {
  return createHash("md5").update(bytes).digest("hex");
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

export function failure(status: number, code: string): Response {
  return new Response(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>refused</Message></Error>`, { status });
}

function xml(element: string, inside: string): Response {
  return new Response(`<?xml version="1.0" encoding="UTF-8"?><${element}>${inside}</${element}>`, {
    headers: { "content-type": "application/xml" },
  });
}
