// With a certificate that cannot be used the hub still works on its own machine, and serves nobody else without TLS.
import { afterAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { Elysia } from "elysia";
import type { App } from "../../../../src/api/http/app.ts";
import type { ServerSection } from "../../../../src/api/http/config.ts";
import { readCertificate } from "../../../../src/api/http/listen/certificate.ts";
import { type Listener, listen } from "../../../../src/api/http/listen/listen.ts";
import { checkConfig } from "../../../../src/app/config/load.ts";
import { silentLog } from "../../../../src/kit/lifecycle/log.ts";
import { askHealth } from "../../../../src/server/system/upgrade/ask-health.ts";
import { createCertificates } from "../../../reach/notify/certificates.ts";
import { createTemporaryFolder } from "../../../support/temporary-folder.ts";
import { createVirtualClock, type VirtualClock } from "../../../support/virtual-clock.ts";
import { until } from "../../../support/wait.ts";

setDefaultTimeout(30_000);

const made = createTemporaryFolder();
afterAll(() => made[Symbol.dispose]());
const good = createCertificates(made);
const other = createCertificates(made);
const JUNK = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
const ENCRYPTED = "-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n-----END ENCRYPTED PRIVATE KEY-----\n";

interface Served extends AsyncDisposable {
  listener: Listener;
  clock: VirtualClock;
  put(name: "cert" | "key", text: string | null): void;
}

function config(more: string): ServerSection {
  const text = `[auth]\njwt_secret = "${"x".repeat(40)}"\n[server]\nhost = "0.0.0.0"\nport = 0\n${more}`;
  return checkConfig(text).config?.server as ServerSection;
}

function serve(cert: string | null, key: string | null, now = Date.now()): Served {
  const folder = createTemporaryFolder();
  const put: Served["put"] = (name, text) => {
    rmSync(folder.at(name), { recursive: true, force: true });
    if (text === "folder") mkdirSync(folder.at(name));
    else if (text !== null) writeFileSync(folder.at(name), text);
  };
  put("cert", cert);
  put("key", key);
  const health = (): Response => Response.json({ status: "ok", version: "1", uptime_secs: 1 });
  const app: App = {
    declared: () => ({ api: new Elysia(), besideTheApi: new Elysia() }),
    router: { routes: { "/api/v1/health": health }, fetch: health, onDeclared() {} },
    serve() {},
  };
  const clock = createVirtualClock(now);
  const listener = listen(app, {
    config: config('tls_cert = "cert"\ntls_key = "key"\n'),
    resolvePath: (path) => folder.at(path),
    clock,
    log: silentLog,
    limits: { reached() {} },
  });
  return {
    listener,
    clock,
    put,
    async [Symbol.asyncDispose]() {
      await listener[Symbol.asyncDispose]();
      folder[Symbol.dispose]();
    },
  };
}

/** Whether the API answers there. For a hub on all addresses, 127.0.0.2 represents those that other machines use. */
async function answers(
  scheme: "http" | "https",
  host: "127.0.0.1" | "127.0.0.2",
  { port }: Listener,
): Promise<boolean> {
  const asked = fetch(`${scheme}://${host}:${port}/api/v1/health`, { tls: { rejectUnauthorized: false } });
  return asked.then(({ ok }) => ok).catch(() => false);
}

const broken: [what: string, cert: string | null, key: string | null, says: RegExp][] = [
  ["is missing", null, good.key, /^server\.tls_cert: .*cert does not exist/],
  ["is a folder", "folder", good.key, /^server\.tls_cert: .*cert cannot be read/],
  ["is no PEM", "not a certificate", good.key, /^server\.tls_cert: cert holds no certificate in PEM form/],
  ["is damaged", JUNK, good.key, /^server\.tls_cert: cert holds no certificate/],
  ["ends in a damaged chain", good.cert + JUNK, good.key, /^server\.tls_cert: cert holds no complete chain/],
  ["has no key", good.cert, null, /^server\.tls_key: .*key does not exist/],
  ["has a key that is none", good.cert, good.cert, /^server\.tls_key: key holds no private key in PEM form/],
  ["has a key with a passphrase", good.cert, ENCRYPTED, /^server\.tls_key: key is encrypted/],
  ["has another's key", good.cert, other.key, /^server\.tls_key: key is not the key of the certificate in cert/],
];

describe("where the certificate", () => {
  test.each(broken)("%s, the API is for this machine alone until it is repaired", async (_, cert, key, says) => {
    await using served = serve(cert, key);
    const { listener, clock, put } = served;
    expect(listener.problem()).toMatch(says);
    expect(listener.problem()).toContain(`this machine only, at http://127.0.0.1:${listener.port}`);
    expect(await answers("http", "127.0.0.1", listener)).toBe(true);
    for (const scheme of ["http", "https"] as const) expect(await answers(scheme, "127.0.0.2", listener)).toBe(false);
    // As `systemctl` and the watchdog do, which use the configuration.
    expect(await askHealth({ host: "0.0.0.0", port: listener.port, tls: true }, 5000)).toMatchObject({ version: "1" });

    put("cert", good.cert);
    put("key", good.key);
    await clock.advance(5000);
    await until("everybody is answered over TLS", () => answers("https", "127.0.0.2", listener));
    expect(await answers("http", "127.0.0.1", listener)).toBe(false);
    expect(listener.problem()).toBeUndefined();
    await clock.advance(60_000);
    expect(clock.pending()).toEqual(["api connections"]);
  });
});

test("a valid one is served, and nothing is served without TLS", async () => {
  await using served = serve(good.cert, good.key);
  const { listener } = served;
  expect(listener.problem()).toBeUndefined();
  expect(await answers("https", "127.0.0.2", listener)).toBe(true);
  expect(await answers("http", "127.0.0.1", listener)).toBe(false);
  expect(await askHealth({ host: "0.0.0.0", port: listener.port, tls: true }, 5000)).toMatchObject({ version: "1" });
});

test.each([
  [-1, /^server\.tls_cert: the certificate is valid from \d{4}-\d\d-\d\d/],
  [30, /^server\.tls_cert: the certificate expired on \d{4}-\d\d-\d\d: clients refuse it, renew it/],
])("expired or not valid yet (%d days) it is still served, and reported", async (days, says) => {
  await using served = serve(good.cert, good.key, Date.now() + days * 86_400_000);
  expect(served.listener.problem()).toMatch(says);
  expect(await answers("https", "127.0.0.2", served.listener)).toBe(true);
});

test("the paths of the configuration are read once", () => {
  const asked: string[] = [];
  const resolve = (path: string): string => {
    asked.push(path);
    return made.at(path === "c" ? "cert" : path);
  };
  expect(readCertificate({ tls_cert: "c", tls_key: "key" }, resolve)?.ok).toBe(true);
  expect(readCertificate({}, resolve)).toBeUndefined();
  expect(asked).toEqual(["c", "key"]);
});
