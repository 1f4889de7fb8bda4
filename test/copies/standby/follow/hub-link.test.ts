// To whom the key of a pair is sent: only to a machine whose certificate is known, over one kept connection.
import { afterAll, expect, test } from "bun:test";
import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { fingerprintOf, openHubLink, parseAddress } from "../../../../src/copies/standby/follow/hub-link.ts";
import { HubError } from "../../../../src/kit/schema/errors.ts";
import { systemClock } from "../../../../src/kit/time/clock.ts";
import { createCertificates } from "../../../reach/notify/certificates.ts";
import { createTemporaryFolder } from "../../../support/temporary-folder.ts";

const folder = createTemporaryFolder();
const { authority, cert, key } = createCertificates(folder);
const FINGERPRINT = fingerprintOf(new X509Certificate(cert).fingerprint256) ?? "";
/** What came: the credential, and the port that it came from. */
const calls: { bearer: string | null; port: number | undefined }[] = [];
const server = Bun.serve({
  ...{ port: 0, hostname: "127.0.0.1", tls: { cert, key } },
  async fetch(request, self) {
    calls.push({ bearer: request.headers.get("authorization"), port: self.requestIP(request)?.port });
    const path = new URL(request.url).pathname;
    if (path === "/api/v1/large") return new Response(new Uint8Array(100_000));
    if (path === "/api/v1/refused") return Response.json({ detail: "not today" }, { status: 409 });
    if (path === "/api/v1/silent") return new Promise<Response>(() => {});
    return Response.json({ echo: request.method === "POST" ? await request.json() : null });
  },
});
afterAll(async () => {
  await server.stop(true);
  folder[Symbol.dispose]();
});
const byName = `https://localhost:${server.port}`;
const byNumber = `https://127.0.0.1:${server.port}`;

const failure = (work: Promise<unknown>): Promise<HubError> =>
  work.then(
    () => {
      throw new Error("it succeeded");
    },
    (error: unknown) => {
      if (error instanceof HubError) return error;
      throw error;
    },
  );

test.each([
  ["an authority of one's own, and the right name", byName, { ca: readFileSync(authority, "utf8"), fingerprints: [] }],
  ["the certificate's fingerprint, whatever the name", byNumber, { fingerprints: ["00:11", FINGERPRINT] }],
])("%s: it is asked, over one connection", async (_, address, trust) => {
  using link = openHubLink(address, trust, systemClock);
  calls.length = 0;
  for (const n of [1, 2, 3])
    expect(await link.ask("POST", "/standby/sync", { key: "k", body: { n } })).toEqual({ echo: { n } });
  expect(calls.map(({ bearer }) => bearer)).toEqual(Array(3).fill("Bearer k"));
  expect(new Set(calls.map(({ port }) => port)).size).toBe(1);
});

test.each([
  ["nobody known has signed it", byName, { fingerprints: [] }],
  ["it is for another name", byNumber, { ca: readFileSync(authority, "utf8"), fingerprints: [] }],
  ["another certificate is expected", byName, { fingerprints: [FINGERPRINT.replaceAll(/\d/g, "0")] }],
])("%s: not a byte is sent, and its fingerprint is reported", async (_, address, trust) => {
  using link = openHubLink(address, trust, systemClock);
  calls.length = 0;
  const { code, message, details } = await failure(link.ask("GET", "/health", { key: "k" }));
  expect({ code, reported: message.includes("is not known here"), ...details }).toEqual({
    ...{ code: "forbidden", reported: true, fingerprint: FINGERPRINT },
  });
  expect(calls).toEqual([]);
});

test("what the other machine says is passed on, and what it must not do ends the call", async () => {
  using link = openHubLink(byNumber, { fingerprints: [FINGERPRINT] }, systemClock);
  expect(await failure(link.ask("GET", "/refused"))).toMatchObject({ code: "conflict", details: { status: 409 } });
  const large = await failure(link.send("GET", "/large", { maxBytes: 1000 }));
  expect(large.message).toContain("its answer is too large");
  const silent = await failure(link.send("GET", "/silent", { silentMs: 50 }));
  expect([silent.code, silent.message.includes("it was silent for")]).toEqual(["unavailable", true]);
  const ended = new AbortController();
  const asking = failure(link.send("GET", "/silent", { signal: ended.signal }));
  ended.abort();
  expect((await asking).code).toBe("unavailable");
  using gone = openHubLink("http://127.0.0.1:1", { fingerprints: [] }, systemClock);
  expect((await failure(gone.ask("GET", "/health"))).message).toContain("no answer from http://127.0.0.1:1");
});

test("addresses and fingerprints as people write them", () => {
  expect(parseAddress("http://192.168.1.20:8080/").origin).toBe("http://192.168.1.20:8080");
  for (const wrong of ["", "lamp", "ftp://host", "http://user@host", "http://host/page"])
    expect(() => parseAddress(wrong)).toThrow("is not an address");
  const hex = "AB".repeat(32);
  for (const one of [hex, hex.toLowerCase(), (hex.match(/../g) ?? []).join(":"), `sha256 Fingerprint=${hex}`])
    expect(fingerprintOf(one)).toBe("ab:".repeat(32).slice(0, -1));
  expect(fingerprintOf("ab:cd")).toBeUndefined();
});
