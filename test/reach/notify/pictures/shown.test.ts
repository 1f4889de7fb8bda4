// What a doorbell has shown, in a message to each service that takes pictures; and what the message says where that is old, or gone.
import { expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { createTemporaryFolder } from "../../../support/temporary-folder.ts";
import { until } from "../../../support/wait.ts";
import { createCertificates } from "../certificates.ts";
import { PASSWORD, serveMail } from "../mail-server.ts";
import { serveNtfy } from "../strict-ntfy.ts";
import { openPicturesRig, PICTURES, serveForms } from "./rig.ts";

const NOW = Date.UTC(2026, 0, 15, 12);
const accepted = () => Response.json({ ok: true, result: { message_id: 1 }, status: 1, request: "r" });
const devices = { doorbell: { attributes: { picture_at: "2026-01-15T11:59:58.000Z" } } };
const chat = ({ url }: { url: string }) => ({
  ...{ name: "chat", type: "messaging_bot", bot_token: "12345:token", chat_id: "7", api_url: url },
});
const shownBefore = (ms: number, of = "") => ({
  find: async (id: string, wanted: { of?: string | undefined }) =>
    id === "doorbell" && (wanted.of ?? of) === of ? { at: NOW - ms, bytes: PICTURES.jpg } : undefined,
  next: () => new Promise<undefined>(() => {}),
});

test("it comes with the message to every service that takes pictures", async () => {
  using folder = createTemporaryFolder();
  const tls = createCertificates(folder);
  using forms = serveForms(accepted);
  using topics = serveNtfy();
  await using post = await serveMail({ key: tls.key, cert: tls.cert });
  const smtp = { host: "localhost", port: post.port, starttls: true, tls_ca: tls.authority };
  const channels = [
    chat(forms),
    { name: "phone", type: "push_app", api_key: "k".repeat(30), user_key: "u".repeat(30), api_url: forms.url },
    { name: "topic", type: "ntfy", server: topics.url, topic: "house-x7" },
    {
      ...{ name: "mail", type: "email", from: "hub@example.org", to: ["ann@example.org"] },
      smtp: { ...smtp, username: "hub", password: PASSWORD },
    },
  ];
  await using rig = openPicturesRig({ folder, channels, devices, shown: shownBefore(2000) });
  for (const { name } of channels) void rig.say(name, "Somebody rings", "device:doorbell");
  await until("all have it", () => forms.seen.length === 2 && topics.shown.size === 1 && post.mails.length === 1);
  for (const { file } of forms.seen)
    expect(file).toMatchObject({ name: "doorbell.jpg", type: "image/jpeg", bytes: PICTURES.jpg });
  const [published] = topics.shown.values();
  expect(published?.attachment?.name).toBe("doorbell.jpg");
  expect(Buffer.from(published?.attachment?.bytes ?? [])).toEqual(PICTURES.jpg);
  const mail = post.mails[0]?.raw.replaceAll("\r\n", "") ?? "";
  expect(mail).toContain(PICTURES.jpg.toString("base64"));
  expect(mail).toContain("doorbell.jpg");
  for (const text of [...forms.seen.map(({ fields }) => fields.caption ?? fields.message), published?.message, mail])
    expect(text).not.toContain("picture is");
});

test.each([
  ["of three hours before", "device:doorbell", 3 * 3_600_000, "(the picture is 3 h older)"],
  ["of a minute before", "device:doorbell", 60_000, "(the picture is 1 min older)"],
  ["that is not kept any more", "device:doorbell/person", 0, '(no picture: the device "doorbell" has shown no picture'],
])("a picture %s is named so in the message", async (_what, image, ageMs, note) => {
  using folder = createTemporaryFolder();
  using forms = serveForms(accepted);
  await using rig = openPicturesRig({ folder, channels: [chat(forms)], devices, shown: shownBefore(ageMs) });
  void rig.say("chat", "Somebody rings", image);
  await until("it is sent", async () => {
    await rig.clock.advance(500);
    return forms.seen.length === 1;
  });
  const [sent] = forms.seen;
  expect(sent?.fields.caption ?? sent?.fields.text).toContain(`Somebody rings ${note}`);
  expect(sent?.file === undefined).toBe(note.startsWith("(no picture"));
});

test("a message that waited over a restart still says how much older its picture is", async () => {
  using folder = createTemporaryFolder();
  let isDown = true;
  using forms = serveForms(() => (isDown ? new Response("", { status: 503 }) : accepted()));
  const rigOf = { folder, channels: [chat(forms)], devices };
  {
    await using rig = openPicturesRig({ ...rigOf, shown: shownBefore(3 * 3_600_000) });
    void rig.say("chat", "Somebody rings", "device:doorbell");
    await until("it was tried", async () => {
      await rig.clock.advance(500);
      return forms.seen.length > 0;
    });
  }
  isDown = false;
  forms.seen.length = 0;
  // Two hours later the camera has newer ones, which show nothing of that moment.
  const newer = { at: NOW + 7_000_000, bytes: PICTURES.png };
  const shown = { find: async () => newer, next: async () => newer };
  await using rig = openPicturesRig({ ...rigOf, shown, laterMs: 2 * 3_600_000 });
  await until("it is sent", async () => {
    if (forms.seen.length === 0) await rig.clock.advance(1000);
    return forms.seen.length > 0;
  });
  expect(forms.seen[0]?.fields.caption).toContain("Somebody rings (the picture is 3 h older)");
  expect(forms.seen[0]?.file?.bytes).toEqual(PICTURES.jpg);
  await until("nothing waits", () => rig.outbox.list().length === 0);
  await until("the picture is removed", async () => {
    await rig.clock.advance(2000);
    return readdirSync(folder.at("data", "pictures")).length === 0;
  });
});
