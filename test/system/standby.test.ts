// Two machines of one house without a lease: the standby's copy, who becomes the hub when, and what a person reads.
// Over 10 s: a dozen houses of two machines, which look at each other every two seconds.
import { expect, test } from "bun:test";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createCertificates } from "../reach/notify/certificates.ts";
import { createHubPlace } from "../support/hub-place.ts";
import { spawnHub } from "../support/hub-process.ts";
import { openNotifySocket } from "../support/notify-socket.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";
import { createTwoMachines, type Side } from "../support/two-machines.ts";
import { until } from "../support/wait.ts";

const options = ["--manual"];

async function setVariable({ process }: Side, name: string, value: number): Promise<void> {
  const { status, text } = await process.request("PUT", `/variables/${name}`, { body: { value } });
  expect({ status, text }).toEqual({ status: 200, text });
}

async function variable({ process }: Side, name: string): Promise<unknown> {
  const answer = await process.request("GET", `/variables/${name}`);
  return answer.status === 200 ? answer.json<{ value: unknown }>().value : undefined;
}

test("a person makes the standby the hub and the hub the standby, and back, without losing what was just done", async () => {
  await using house = await createTwoMachines({ options });
  const { first, second } = house;
  await second.isWhole();
  await setVariable(first, "before", 1);
  const promoted = await second.standby("promote");
  expect({ ...promoted, stdout: "" }).toEqual({ code: 0, stdout: "", stderr: "" });
  expect(promoted.stdout).toContain("this machine is the hub now");
  await second.isHub();
  expect(await variable(second, "before")).toBe(1);
  await first.isWhole();
  expect(await first.status()).toMatchObject({ role: "standby", epoch: 1 });
  await setVariable(second, "between", 2);
  expect(await first.standby("promote")).toMatchObject({ code: 0 });
  await first.isHub();
  expect([await variable(first, "before"), await variable(first, "between")]).toEqual([1, 2]);
  await second.isWhole();
  expect((await first.status()).epoch).toBe(2);
});

test("a hub that was killed is replaced by --force alone, and comes back as the standby of the other", async () => {
  await using house = await createTwoMachines({ options });
  const { first, second } = house;
  await setVariable(first, "known", 1);
  await second.isWhole();
  await second.hasCopied("SELECT 1 FROM variables WHERE name = 'known'");
  first.process.kill("SIGKILL");
  await first.process.exited;
  const refused = await second.standby("promote");
  expect(refused).toMatchObject({ code: 1, stdout: "" });
  expect(refused.stderr).toContain("does not answer");
  expect(await second.standby("promote", "--force")).toMatchObject({ code: 0 });
  await second.isHub();
  expect(await variable(second, "known")).toBe(1);
  await first.start();
  await first.process.said("the other machine is the hub by now");
  await first.isWhole();
  expect(existsSync(first.place.at("data", "before-standby", "state.redb"))).toBe(true);
  expect(await first.standby("promote")).toMatchObject({ code: 0 });
  await first.isHub();
  expect(await variable(first, "known")).toBe(1);
});

test("a hub that two people's commands made two of steps down when it sees the other", async () => {
  await using house = await createTwoMachines({ options });
  const { first, second } = house;
  await second.isWhole();
  // It is only stopped, as a machine is that hangs.
  first.process.kill("SIGSTOP");
  expect(await second.standby("promote", "--force")).toMatchObject({ code: 0 });
  await second.isHub();
  first.process.kill("SIGCONT");
  await first.process.said("this machine goes on as the standby of the other one");
  await first.isWhole();
});

test("a standby that is killed at any moment goes on where it was", async () => {
  await using house = await createTwoMachines({ options });
  const { first, second } = house;
  for (let round = 0; round < 6; round++) {
    await setVariable(first, "round", round);
    // Anywhere between its start and its first whole copy, and a little after it.
    await Bun.sleep(round * 60);
    second.process.kill("SIGKILL");
    await second.process.exited;
    await second.start();
  }
  await second.isWhole();
  expect(await second.standby("promote")).toMatchObject({ code: 0 });
  await second.isHub();
  expect(await variable(second, "round")).toBe(5);
});

test("what cannot be is refused, with what to do", async () => {
  await using house = await createTwoMachines({ options });
  const { first, second } = house;
  await second.isWhole();
  const twice = await second.place.run(["standby"]);
  expect(twice).toMatchObject({ code: 1 });
  expect(twice.stderr).toContain("stop it first");

  await using third = createHubPlace();
  const of = ["standby", "--of", first.address, "--pair-only"];
  const stdin = `${first.place.admin?.password}\n`;
  const refusals: [string[], string, string][] = [
    [of, stdin, "has no lease"],
    [[...of, "--manual"], "not the password\n", "wrong username or password"],
    [[...of, "--manual"], "", "--token-file"],
    [[...of, "--manual"], stdin, "--replace"],
    [["standby", "--of", second.address, "--manual"], stdin, "is not the hub but standby"],
    [["standby", "--of", "http://127.0.0.1:1", "--manual"], stdin, "no answer from http://127.0.0.1:1"],
    [["standby", "--of", "lamp", "--manual"], stdin, "is not an address"],
    [["standby", "--manual"], "", "say which hub"],
    [["standby", "promote"], "", "this machine is no standby"],
    [["standby", "demote"], "", "say `hub standby --of URL`"],
    [["standby"], "", "this machine is no standby yet"],
  ];
  for (const [args, input, reported] of refusals) {
    const ran = await third.run(args, { stdin: input });
    expect({ args, code: ran.code, says: ran.stderr.includes(reported) ? reported : ran.stderr }).toEqual({
      // Nobody answers there.
      ...{ args, code: reported.startsWith("no answer") ? 3 : 1 },
      says: reported,
    });
  }
  expect(await third.run([...of, "--manual", "--replace"], { stdin })).toMatchObject({ code: 0 });
  await second.process.said("is not the key of the house's standby");
  expect((await second.status()).problem).toContain("run `hub standby --of URL` on that machine again");
});

test("a home with a house is kept, unless somebody says otherwise", async () => {
  await using house = await createTwoMachines({ options });
  const { first } = house;
  await using other = createHubPlace({ toml: '[[plugins]]\nid = "sysmon"\nbinary = "plugins/sysmon/bin/sysmon.js"\n' });
  const hub = await other.start();
  await until("it has a device", async () => (await hub.get<unknown[]>("/devices")).length > 1);
  await hub.end();
  const of = ["standby", "--of", first.address, "--pair-only", "--manual", "--replace"];
  const stdin = `${first.place.admin?.password}\n`;
  const refused = await other.run(of, { stdin });
  expect(refused).toMatchObject({ code: 1 });
  expect(refused.stderr).toContain("holds a house with");
  expect(existsSync(other.at("data", "standby.json"))).toBe(false);
  expect(await other.run([...of, "--replace-this-house"], { stdin })).toMatchObject({ code: 0 });
});

test("a hub.toml with an address that only the first machine has: the second one listens at its own, as the standby and as the hub", async () => {
  await using house = await createTwoMachines({ options });
  const { first, second } = house;
  await second.isWhole();
  const text = first.place.read("config", "hub.toml");
  first.place.put(
    "config/hub.toml",
    text.replace('host = "127.0.0.1"', 'host = "192.0.2.7"').replace("[mqtt]\n", '[mqtt]\nhost = "192.0.2.7"\n'),
    0o600,
  );
  await until("it is copied", () => second.place.read("config", "hub.toml").includes("192.0.2.7"), { everyMs: 100 });
  await second.process.end();
  await second.start();
  await second.process.said(/this machine is the standby .*listens_at=(?!192\.0\.2\.7)/);
  first.process.kill("SIGKILL");
  await first.process.exited;
  const { port } = new URL(second.address);
  const own = /listens_at=(\S+)/.exec(second.process.output)?.[1];
  const promoted = await second.place.run(["standby", "promote", "--force", "--url", `http://${own}:${port}`]);
  expect(promoted).toMatchObject({ code: 0 });
  await second.process.said(`192.0.2.7 is an address of the house's other machine: this one listens at ${own} instead`);
  const ready = () =>
    fetch(`http://${own}:${port}/api/v1/health`).then(
      (answer) => answer.ok,
      () => false,
    );
  await until("it is the hub", ready);
});

test("the standby shows programs and browsers what it is, and the key is needed for the rest", async () => {
  await using house = await createTwoMachines({ options });
  const { first, second } = house;
  await second.isWhole();
  const get = (path: string, headers: Record<string, string> = {}) => fetch(second.address + path, { headers });
  expect(await (await get("/api/v1/health")).json()).toMatchObject({
    ...{ status: "ok", role: "standby", ready: true },
    standby: { hub: first.address, problem: null },
  });
  const page = await get("/", { accept: "text/html", "accept-language": "de-AT,de;q=0.9,en;q=0.5" });
  expect(page.status).toBe(503);
  const html = await page.text();
  expect(html).toContain('<html lang="de">');
  expect(html).toContain(`<a href="${first.address}/">`);
  expect(html).not.toContain("<script");
  const english = await get("/", { accept: "text/html", "accept-language": "en-GB,de;q=0.5" });
  expect(await english.text()).toContain("It is not the hub.");
  const refused = await get("/api/v1/devices");
  expect([refused.status, await refused.json()]).toMatchObject([503, { hub: first.address, code: "unavailable" }]);
  expect((await get("/api/v1/standby")).status).toBe(401);
  expect((await fetch(`${second.address}/api/v1/standby/promote`, { method: "POST" })).status).toBe(401);
  const { key } = JSON.parse(second.place.read("data", "standby.json")).other as { key: string };
  const reported = await (await get("/api/v1/standby", { authorization: `Bearer ${key}` })).text();
  expect(reported).toContain('"whole":true');
  expect(reported).not.toContain(key);
});

test("a standby leaves with its copy put aside, and the hub forgets it", async () => {
  await using house = await createTwoMachines({ options });
  const { first, second } = house;
  await second.isWhole();
  expect((await second.place.run(["standby", "leave"])).stderr).toContain("stop it first");
  await second.process.end();
  const left = await second.place.run(["standby", "leave"]);
  expect(left).toMatchObject({ code: 0, stderr: "" });
  const folder = / is in (\S+)\. Run/.exec(left.stdout)?.[1] ?? "";
  expect(readFileSync(`${folder}/config/hub.toml`, "utf8")).toContain("jwt_secret");
  expect(existsSync(`${folder}/data-state.redb`)).toBe(true);
  expect(existsSync(second.place.at("config", "hub.toml"))).toBe(false);
  expect(await first.standby("leave")).toMatchObject({ code: 0 });
  expect((await first.status()).standby).toBeNull();
});

test("over TLS with a certificate of one's own, by its fingerprint; after the change of roles by that of the house", async () => {
  using folder = createTemporaryFolder();
  const { cert, key } = createCertificates(folder);
  await using hub = createHubPlace({ server: 'tls_cert = "config/hub.crt"\ntls_key = "config/hub.key"' });
  hub.put("config/hub.crt", cert);
  hub.put("config/hub.key", key, 0o600);
  const running = await hub.start();
  await using standby = createHubPlace();
  const of = ["standby", "--of", `https://127.0.0.1:${running.port}`, "--manual", "--pair-only"];
  const stdin = `${hub.admin?.password}\n`;
  const refused = await standby.run(of, { stdin });
  expect(refused).toMatchObject({ code: 1 });
  const fingerprint = /add --fingerprint ([0-9a-f:]{95});/.exec(refused.stderr)?.[1] ?? "";
  expect(await standby.run([...of, "--fingerprint", fingerprint], { stdin })).toMatchObject({ code: 0 });
  await using process = spawnHub(standby, { args: ["standby"] });
  await process.said("the copy follows the hub");
  // hub.toml is there by now: it says where this machine answers, and with which certificate.
  await process.said(/answers at the hub's address.* tls=true/);
  const port = [...process.output.matchAll(/ port=(\d+)/g)].at(-1)?.[1];
  const url = ["--url", `https://127.0.0.1:${port}`];
  await until("it may be the hub", async () => (await standby.run(["standby", "promote", ...url])).code === 0, {
    everyMs: 500,
  });
  await running.said(/this machine is the standby[\s\S]*the copy follows the hub/);
});

test("systemd receives that the standby is ready, what it is, and that it is well", async () => {
  await using house = await createTwoMachines({ options });
  const { first, second } = house;
  await second.process.end();
  using socket = openNotifySocket(`${second.place.home}-notify`);
  const env = { NOTIFY_SOCKET: socket.name, WATCHDOG_USEC: "400000" };
  await using _process = spawnHub(second.place, { env, args: ["serve"] });
  await socket.received("READY=1");
  await socket.received("WATCHDOG=1", 2);
  await socket.received(new RegExp(`^STATUS=standby of ${first.address}, \\d s behind$`));
});

test("a damaged machine file says what to do", async () => {
  await using place = createHubPlace();
  await place.run(["init"]);
  writeFileSync(place.at("data", "standby.json"), "{");
  const ran = await place.run(["serve"]);
  expect(ran).toMatchObject({ code: 1 });
  expect(ran.stderr).toContain("run `hub standby --of URL` again");
});
