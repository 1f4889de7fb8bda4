// Copies elsewhere over the API: made, shown, tried out, looked at with a recovery sheet, and restored.
// Over 10 s: each archive is encrypted, and opened again, with a key that takes long to derive on purpose.
import { afterEach, beforeEach, expect, test } from "bun:test";
import { type S3Server, s3Target, startS3Server } from "../../support/s3-server.ts";
import { startTestHub, type TestHub } from "../../support/test-hub.ts";
import { until } from "../../support/wait.ts";

interface Shown {
  name: string;
  doing: string;
  problem: string | null;
  last_success: string | null;
  checked_at: string | null;
  copies: { name: string; verified_at: string | null }[];
}

const PASSPHRASE = "correct horse battery";

let s3: S3Server;
let hub: TestHub;
let restarts: number;

beforeEach(async () => {
  s3 = startS3Server();
  restarts = 0;
  const { type: _type, ...keys } = s3Target(s3);
  const lines = Object.entries({ type: "s3", ...keys }).map(([key, value]) => `${key} = ${JSON.stringify(value)}`);
  hub = await startTestHub({
    toml: `[backup]\npassphrase = "${PASSPHRASE}"\n[[backup.targets]]\n${lines.join("\n")}\n`,
    requestRestart: () => void restarts++,
  });
});
afterEach(async () => {
  await hub[Symbol.asyncDispose]();
  await s3[Symbol.asyncDispose]();
});

const ask = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Response> =>
  hub.request(method, path, { token: hub.adminToken, headers, ...(body === undefined ? {} : { body }) });
const shown = async (): Promise<Shown> => ((await (await ask("GET", "/system/backups/remote")).json()) as [Shown])[0];

async function backUp(): Promise<string> {
  const made = await ask("POST", "/system/backups");
  expect(made.status).toBe(201);
  await until("it is there, and proven", async () => {
    const { doing, checked_at, copies } = await shown();
    return doing === "idle" && checked_at !== null && copies.length > 0;
  });
  return ((await made.json()) as { name: string }).name;
}

test("a backup that is made is copied and shown; nothing of it shows a secret", async () => {
  const name = await backUp();
  const text = await (await ask("GET", "/system/backups/remote")).text();
  expect(await shown()).toMatchObject({ name: "bucket", problem: null, copies: [{ verified_at: expect.any(String) }] });
  expect((await shown()).copies[0]?.name.startsWith(name.slice(0, 30))).toBe(true);
  for (const secret of [PASSPHRASE, "the key's secret"]) expect(text).not.toContain(secret);
  expect((await ask("POST", "/system/backups/targets/bucket/test", {})).status).toBe(200);
  expect((await ask("POST", "/system/backups/targets/nowhere/test", {})).status).toBe(404);
  await s3[Symbol.asyncDispose]();
  const refused = await ask("POST", "/system/backups/targets/bucket/test", {});
  expect(refused.status).toBe(502);
  expect(await refused.text()).toContain("nobody answers there");
});

test("with the recovery sheet, the copies are listed, looked into, and restored", async () => {
  await backUp();
  const sheet = await (await ask("POST", "/system/backups/recovery", {})).text();
  expect(sheet).toContain(`passphrase = "${PASSPHRASE}"`);
  const looked = await ask("POST", "/system/backups/look", { sheet });
  const { target, houses } = (await looked.json()) as {
    target: string;
    houses: { house: string; copies: { name: string }[] }[];
  };
  expect(target).toBe("bucket");
  const [{ house, copies } = { house: "", copies: [] }] = houses;
  const wanted = { target, sheet, house, name: copies[0]?.name };
  const dry = await ask("POST", "/system/restore-copy", { ...wanted, dry_run: true });
  expect(dry.status).toBe(200);
  expect(await dry.json()).toMatchObject({ accepted: false, counts: { users: 1 } });
  expect(restarts).toBe(0);
  const wrong = await ask("POST", "/system/restore-copy", { ...wanted, passphrase: "another one", dry_run: true });
  expect(wrong.status).toBe(400);
  expect(await wrong.text()).toContain("passphrase is wrong");
  const confirmed = await hub.confirmed();
  expect((await ask("POST", "/system/restore-copy", { target, name: "latest" })).status).toBe(403);
  expect((await ask("POST", "/system/restore-copy", { ...wanted, name: "nothing.zip" }, confirmed)).status).toBe(404);
  const accepted = await ask("POST", "/system/restore-copy", { target, name: "latest" }, confirmed);
  expect(accepted.status).toBe(202);
  await until("it restarts", () => restarts === 1);
});

test.each([
  ["not TOML", "x = ", "line 1"],
  ["nothing in it", "", "names no [[backup.targets]]"],
  ["a wrong kind", '[[backup.targets]]\ntype = "ftp"\nname = "x"', "must be one of"],
])("a sheet with %s is refused, with the reason", async (_what, sheet, words) => {
  const answer = await ask("POST", "/system/backups/look", { sheet });
  expect(answer.status).toBe(400);
  expect(await answer.text()).toContain(words);
});
