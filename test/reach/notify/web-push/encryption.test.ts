import { expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { encrypt, MAX_PLAIN_BYTES } from "../../../../src/reach/notify/web-push/encryption.ts";
import { createVapidKey, vapidHeader } from "../../../../src/reach/notify/web-push/vapid.ts";
import { claimsIn, createBrowser } from "./browser.ts";

const raw = (text: string) => Buffer.from(text, "base64url");

test("encrypts the example of RFC 8291 as printed there", () => {
  const numbers = [raw("DGv6ra1nlYgDCS1FRnbzlw"), raw("yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw")];
  const keys = {
    p256dh: raw("BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"),
    auth: raw("BTBZMqHH6r4Tts7J_aSIgg"),
  };
  const plain = Buffer.from("When I grow up, I want to be a watermelon");
  expect(encrypt(plain, keys, () => numbers.shift() ?? raw("")).toString("base64url")).toBe(
    "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN",
  );
});

test.each([0, 1, 17, MAX_PLAIN_BYTES])("another implementation reads %d bytes", async (length) => {
  const browser = await createBrowser();
  const keys = { p256dh: raw(browser.keys.p256dh), auth: raw(browser.keys.auth) };
  const text = "x".repeat(length);
  const body = encrypt(Buffer.from(text), keys, randomBytes);
  expect(body.length).toBe(length + 103);
  expect(await browser.decrypt(body)).toBe(text);
  body[body.length - 1] = (body.at(-1) ?? 0) ^ 1;
  expect(browser.decrypt(body)).rejects.toThrow();
});

test("a token says who asks, and for how long, and is signed with the key", async () => {
  for (let round = 0; round < 20; round++) {
    const key = createVapidKey();
    const header = vapidHeader(key, { origin: "https://push.example", contact: "mailto:a@b.c", expiresAt: 5_000_900 });
    expect(await claimsIn(header, key.publicKey)).toEqual({
      aud: "https://push.example",
      exp: 5000,
      sub: "mailto:a@b.c",
    });
  }
});

test("signs with keys that begin with zeros, and with those of early hubs that were written wrongly", async () => {
  const publicKey = "BAfFrgrbDcpPCoit8qCB0_hv4cjVymXI4wq6_TtajNtHEBdiRKGUyg6kRNVUAjaJPiekSJmXK68fXggREluFPaQ";
  const early = "ANtT0l8uuSAQi8tmyDTSeM3SlMN4wX_kZT1nQV40qWw";
  const right = Buffer.concat([Buffer.of(0), raw(early.slice(1))]).toString("base64url");
  for (const privateKey of [early, right]) {
    const claims = { origin: "https://push.example", contact: "mailto:a@b.c", expiresAt: 5_000_900 };
    expect(await claimsIn(vapidHeader({ publicKey, privateKey }, claims), publicKey)).toMatchObject({
      sub: "mailto:a@b.c",
    });
  }
  expect(() =>
    vapidHeader({ publicKey, privateKey: early.slice(2) }, { origin: "", contact: "", expiresAt: 0 }),
  ).toThrow("is damaged");
});
