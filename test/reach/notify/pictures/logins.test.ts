// Cameras that want a login: the RFCs' own examples, and a camera that takes nothing but Digest, as strictly as they come.
import { describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { challengesIn } from "../../../../src/reach/notify/pictures/challenge.ts";
import { digestAuthorization, digestRank } from "../../../../src/reach/notify/pictures/digest.ts";
import { createTemporaryFolder } from "../../../support/temporary-folder.ts";
import { until } from "../../../support/wait.ts";
import { openPicturesRig, PICTURES, serveCamera, serveForms } from "./rig.ts";

const NONCE = "7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v";
const CNONCE = "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ";
const RFC_7616 = `Digest
  realm="http-auth@example.org", qop="auth, auth-int", algorithm=SHA-256, nonce="${NONCE}",
  opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS",
 Digest realm="http-auth@example.org", qop="auth, auth-int", algorithm=MD5, nonce="${NONCE}",
  opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"`;
const RFC_2617 = 'Digest realm="testrealm@host.com", qop="auth,auth-int", nonce="dcd98b7102dd2f0e8b11d0f600bfb0c093"';
const RFC_2069 = 'Digest realm="testrealm@host.com", nonce="dcd98b7102dd2f0e8b11d0f600bfb0c093"';

describe("the example of", () => {
  test.each<[string, string, number, string, string, string]>([
    [
      "RFC 7616, SHA-256",
      RFC_7616,
      0,
      "Circle of Life",
      CNONCE,
      "753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1",
    ],
    ["RFC 7616, MD5", RFC_7616, 1, "Circle of Life", CNONCE, "8ca523f5e9506fed4657c9700eebdbec"],
    ["RFC 2617", RFC_2617, 0, "Circle Of Life", "0a4f113b", "6629fae49393a05397450978507c4ef1"],
    ["RFC 2069, without qop", RFC_2069, 0, "CircleOfLife", "x", "1949323746fe6a43ef61f9606e7febea"],
  ])("%s", (_, header, index, password, cnonce, response) => {
    const challenge = challengesIn(header)[index];
    if (!challenge) throw new Error("no challenge");
    const login = { username: "Mufasa", password };
    const written = digestAuthorization(challenge, login, { method: "GET", uri: "/dir/index.html", count: 1, cnonce });
    expect(written).toStartWith('Digest username="Mufasa", realm="');
    expect(written).toContain(`response="${response}"`);
    expect(written.includes(", qop=auth, nc=00000001")).toBe(header !== RFC_2069);
  });
});

test("challenges are read as servers write them, and what nobody can answer has no rank", () => {
  const read = challengesIn(
    'Negotiate, Basic realm="a \\"b\\", c",DIGEST Nonce = "n,1" ,algorithm=md5-sess, stale=TRUE',
  );
  expect(read.map(({ scheme, parameters }) => [scheme, { ...parameters }])).toEqual([
    ["negotiate", {}],
    ["basic", { realm: 'a "b", c' }],
    ["digest", { nonce: "n,1", algorithm: "md5-sess", stale: "TRUE" }],
  ]);
  expect(read.map(digestRank)).toEqual([undefined, undefined, 1]);
  const ranks = ['nonce="n", qop="auth-int"', "nonce=n, algorithm=SHA-512-256", "realm=r", 'nonce=n, qop="auth"'];
  expect(ranks.map((text) => challengesIn(`Digest ${text}`).map(digestRank)[0])).toEqual([
    undefined,
    undefined,
    undefined,
    1,
  ]);
  for (const header of [null, "", ",,=", '"', "Digest ".repeat(10_000)])
    expect(() => challengesIn(header)).not.toThrow();
});

const USER = "hüb";
const PASSWORD = 'se:c"ret%';
const hex = (hash: string, text: string) => createHash(hash).update(text).digest("hex");

interface DigestCamera {
  /** What each `WWW-Authenticate` offers. */
  offers?: readonly string[];
  /** How often a nonce may be used. */
  uses?: number;
}

/** Strict: each nonce counts from 1 without gaps, and every field has to be as it was given. */
function serveDigest({ offers = ["MD5"], uses = 100 }: DigestCamera = {}) {
  const seen: string[] = [];
  let nonce = 0;
  let count = 0;
  const challenge = (stale: boolean) => {
    nonce++;
    count = 0;
    const fields = `realm="IP Camera(C1), \\"front\\"", nonce="nonce ${nonce}", qop="auth", opaque="o=${nonce}"${stale ? ", stale=true" : ""}`;
    const header = offers.map((algorithm) => `Digest ${fields}, algorithm=${algorithm}`).join(", ");
    return new Response("<html>", { status: 401, headers: { "www-authenticate": `Basic realm="x", ${header}` } });
  };
  const camera = serveCamera((request) => {
    const given = Buffer.from(request.headers.get("authorization") ?? "", "latin1").toString();
    seen.push(given.split(" ")[0] ?? "");
    if (!given.startsWith("Digest ")) return challenge(false);
    const field = (name: string): string =>
      new RegExp(`[ ,]${name}=(?:"((?:[^"\\\\]|\\\\.)*)"|([^,]*))`)
        .exec(given)
        ?.slice(1)
        .find((one) => one !== undefined) ?? "";
    const { pathname, search } = new URL(request.url);
    const [algorithm, uri, nc] = [field("algorithm"), field("uri"), field("nc")];
    if (field("nonce") !== `nonce ${nonce}` || count >= uses) return challenge(true);
    count++;
    const hash = algorithm.startsWith("SHA-256") ? "sha256" : "md5";
    const a1 = hex(hash, `${USER}:IP Camera(C1), "front":${PASSWORD}`);
    const secret = algorithm.endsWith("-sess") ? hex(hash, `${a1}:nonce ${nonce}:${field("cnonce")}`) : a1;
    const wanted = hex(
      hash,
      `${secret}:nonce ${nonce}:${nc}:${field("cnonce")}:auth:${hex(hash, `GET:${pathname}${search}`)}`,
    );
    const isRight =
      [field("response") === wanted, uri === pathname + search, field("opaque") === `o=${nonce}`].every(Boolean) &&
      [field("username") === USER, field("qop") === "auth", Number.parseInt(nc, 16) === count].every(Boolean) &&
      offers.includes(algorithm) &&
      field("cnonce").length >= 16;
    return isRight ? new Response(PICTURES.jpg) : challenge(false);
  });
  return { host: camera.host, seen, [Symbol.dispose]: () => camera[Symbol.dispose]() };
}

const accepted = () => Response.json({ status: 1, request: "r" });
const push = ({ url }: { url: string }) => ({
  ...{ name: "phone", type: "push_app", api_key: "k".repeat(30), user_key: "u".repeat(30), api_url: url },
});

function addressOf({ host }: { host: string }, password = PASSWORD): string {
  return `http://${encodeURIComponent(USER)}:${encodeURIComponent(password)}@${host}/cgi-bin/snapshot.cgi?channel=1&x=%20`;
}

/** Takes pictures one after the other; resolves with what the messages said and showed. */
async function take(camera: { host: string }, times: number, password?: string) {
  using folder = createTemporaryFolder();
  using service = serveForms(accepted);
  const devices = { porch: { attributes: { snapshot_url: addressOf(camera, password) } } };
  await using rig = openPicturesRig({ folder, channels: [push(service)], devices, hosts: [camera.host] });
  for (let count = 1; count <= times; count++) {
    // Those of one moment share a picture.
    await rig.clock.advance(2000);
    void rig.say("phone", `picture ${count}`, "device:porch");
    await until("it is sent", () => service.seen.length === count);
  }
  return { seen: service.seen, logged: rig.output.text };
}

test.each([
  ["MD5", ["MD5"]],
  ["SHA-256, which is stronger than the other that is offered", ["MD5", "SHA-256"]],
  ["SHA-256 for a session", ["SHA-256-sess"]],
])("a camera that takes only Digest is logged in to with %s; what it asked for is remembered", async (_, offers) => {
  using camera = serveDigest({ offers });
  const { seen, logged } = await take(camera, 3);
  expect(seen.map(({ file }) => file?.type)).toEqual(["image/jpeg", "image/jpeg", "image/jpeg"]);
  expect(camera.seen).toEqual(["", "Digest", "Digest", "Digest"]);
  for (const text of [PASSWORD, encodeURIComponent(PASSWORD), "se:c"]) expect(logged).not.toContain(text);
});

test("a nonce that is over is replaced by the next, in the same picture", async () => {
  using camera = serveDigest({ uses: 2 });
  const { seen } = await take(camera, 4);
  expect(seen.every(({ file }) => file !== undefined)).toBe(true);
  expect(camera.seen).toEqual(["", "Digest", "Digest", "Digest", "Digest", "Digest"]);
});

test("a wrong password is tried once for each picture, and the message says so without it", async () => {
  using camera = serveDigest();
  const { seen, logged } = await take(camera, 2, "wr0ng-pass");
  expect(seen.map(({ file }) => file)).toEqual([undefined, undefined]);
  expect(seen[0]?.fields.message).toContain("refuses the user and password in the address");
  expect(camera.seen).toEqual(["", "Digest", "", "Digest"]);
  expect(logged + JSON.stringify(seen)).not.toContain("wr0ng-pass");
});

test("a password is never sent in Basic to a camera that takes Digest, nor after it took one", async () => {
  let turn: (request: Request) => Response | undefined = () => undefined;
  const given: string[] = [];
  using digest = serveDigest();
  using camera = serveCamera(async (request) => {
    given.push(request.headers.get("authorization")?.split(" ")[0] ?? "");
    const { pathname, search } = new URL(request.url);
    return turn(request) ?? fetch(`http://${digest.host}${pathname}${search}`, { headers: request.headers });
  });
  using folder = createTemporaryFolder();
  using service = serveForms(accepted);
  const devices = { porch: { attributes: { snapshot_url: addressOf(camera) } } };
  await using rig = openPicturesRig({ folder, channels: [push(service)], devices, hosts: [camera.host] });
  void rig.say("phone", "first", "device:porch");
  await until("it is sent", () => service.seen[0]?.file !== undefined);
  // Somebody else answers in its place.
  turn = () => new Response("", { status: 401, headers: { "www-authenticate": 'Basic realm="camera"' } });
  await rig.clock.advance(2000);
  void rig.say("phone", "second", "device:porch");
  await until("it is sent without a picture", () => service.seen.length === 2);
  expect(given).toEqual(["", "Digest", "Digest"]);
});
