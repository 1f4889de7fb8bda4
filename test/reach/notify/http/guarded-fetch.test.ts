// Where a request of a channel may go: to the address that was checked, and nowhere else.
import { expect, test } from "bun:test";
import { type GuardOptions, guardedFetch } from "../../../../src/reach/notify/http/guarded-fetch.ts";
import { createTemporaryFolder } from "../../../support/temporary-folder.ts";
import { createCertificates } from "../certificates.ts";
import { failureOf, serveHttp } from "../rig.ts";

const HINT = "allow it";

/** All that would have been asked, and where. */
function guard(options: Partial<GuardOptions>) {
  const asked: { url: string; host: string | null }[] = [];
  const send = (async (url: string, init: RequestInit) => {
    asked.push({ url, host: new Headers(init.headers).get("host") });
    return new Response("ok");
  }) as unknown as typeof fetch;
  return { asked, fetch: guardedFetch(send, { reach: "house", hint: HINT, own: () => ["192.168.1.5"], ...options }) };
}

test("a name is looked up once, and the request goes to just that address", async () => {
  const answers = [["192.168.1.9"], ["127.0.0.1"]];
  const { asked, fetch } = guard({ lookup: async () => answers.shift() ?? [] });
  await fetch("http://gotify.example:8080/message?x=1");
  expect(asked).toEqual([{ url: "http://192.168.1.9:8080/message?x=1", host: "gotify.example:8080" }]);
  expect((await failureOf(fetch("http://gotify.example:8080/"))).fault).toEqual({ transient: false, hint: HINT });
  expect(asked).toHaveLength(1);
});

test.each([
  ["loopback", ["127.0.0.53"]],
  ["loopback among others", ["192.168.1.9", "::1"]],
  ["an IPv4 address in IPv6", ["::ffff:127.0.0.1"]],
  ["any address", ["0.0.0.0"]],
  ["this machine's own", ["192.168.1.5"]],
  ["link-local", ["169.254.169.254"]],
  ["link-local in IPv6", ["fe80::1"]],
  ["no address", ["gotify"]],
])("%s is refused", async (_, addresses) => {
  const { asked, fetch } = guard({ lookup: async () => addresses });
  expect((await failureOf(fetch("http://gotify.example/"))).message).toContain("gotify.example leads to this machine");
  expect(asked).toEqual([]);
});

test.each(["10.0.0.1", "192.168.1.9", "100.64.0.1", "fd00::1", "::ffff:10.0.0.1", "64:ff9b::7f00:1", "224.0.0.1"])(
  "a push service at %s is refused",
  async (address) => {
    const { asked, fetch } = guard({ reach: "internet", lookup: async () => [address] });
    await failureOf(fetch("https://push.example/"));
    expect(asked).toEqual([]);
  },
);

test("a push service is asked over https alone", async () => {
  const { asked, fetch } = guard({ reach: "internet", lookup: async () => ["203.0.114.1"] });
  await failureOf(fetch("http://push.example/"));
  await fetch("https://push.example/x");
  expect(asked).toEqual([{ url: "https://203.0.114.1/x", host: "push.example" }]);
});

test("the next address is tried where nobody listens", async () => {
  using place = serveHttp(() => ({ json: {} }));
  const { port } = new URL(place.url);
  const tried: string[] = [];
  const send = (async (url: string, init: RequestInit) => {
    tried.push(new URL(url).hostname);
    return fetch(url.replace("10.0.0.1", "127.0.0.1").replace("10.0.0.2", "127.0.0.2"), init);
  }) as unknown as typeof fetch;
  const guarded = guardedFetch(send, { reach: "house", hint: HINT, lookup: async () => ["10.0.0.2", "10.0.0.1"] });
  expect((await guarded(`http://two.example:${port}/`)).status).toBe(200);
  expect(tried).toEqual(["10.0.0.2", "10.0.0.1"]);
});

test("a lookup that hangs ends with the signal", async () => {
  const { fetch } = guard({ lookup: () => new Promise(() => {}) });
  expect(fetch("http://slow.example/", { signal: AbortSignal.timeout(5) })).rejects.toThrow();
});

test("the certificate is checked for the name, not for the address", async () => {
  using folder = createTemporaryFolder();
  const { authority, key, cert } = createCertificates(folder);
  using server = Bun.serve({ port: 0, hostname: "127.0.0.1", tls: { key, cert }, fetch: () => new Response("ok") });
  const ca = await Bun.file(authority).text();
  const send = ((url: string, init: BunFetchRequestInit) =>
    fetch(url.replace("10.0.0.1", "127.0.0.1"), { ...init, tls: { ...init.tls, ca } })) as unknown as typeof fetch;
  const guarded = guardedFetch(send, { reach: "house", hint: HINT, lookup: async () => ["10.0.0.1"] });
  expect(await (await guarded(`https://localhost:${server.port}/`)).text()).toBe("ok");
  expect(guarded(`https://other.example:${server.port}/`)).rejects.toThrow();
});
