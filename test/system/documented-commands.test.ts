// The commands of the documents, run as they are printed, one document after the other, in a house that has what they speak of. What
// cannot be run here is named below, with the reason; its words and options are looked at by test/docs.
// Over 10 s: each command of each document is run by the compiled hub.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { type DocumentedHouse, type Shell, startDocumentedHouse } from "../docs/documented-house.ts";
import { DOCUMENTS, type Printed, shellCommandsOf } from "../docs/printed-commands.ts";
import { until } from "../support/wait.ts";

const NOT_RUN: readonly (readonly [RegExp, string])[] = [
  [/^(npx --yes )?bun(@[\d.]+)? /, "builds and tests the project itself: verify and CI do"],
  [/^(scp|ssh) /, "goes to another machine"],
  [/service (install|status)\b/, "needs systemd: test/interop/service.sh"],
  [/\bhub(-linux-arm64)? upgrade /, "needs a service that it restarts: test/interop/service.sh"],
  [/^sudo (systemctl|journalctl) /, "needs systemd: test/interop/service.sh"],
  [/^sudo apt /, "needs Debian's package manager and root: test/interop/packages.sh"],
  [/^podman /, "needs containers: test/interop/container.sh"],
  [/^claude /, "is another program"],
  [/\/plugins\/matter\//, "needs the Matter bridge and its network: test/interop/matter.sh"],
  [/^OLD=|\$OLD|hub import homecore/, "asks a hub of homeCore: test/system/import-homecore.test.ts"],
  [/ standby /, "needs a second machine: test/system/standby.test.ts"],
];
const ORDER = ["README.md", "docs/api.md", "docs/devices.md", "docs/house.md"];

interface Occasion {
  house: DocumentedHouse;
  shell: Shell;
}

/** What stands in a document where everybody puts in something else. */
const PLACEHOLDERS: readonly (readonly [RegExp, (occasion: Occasion) => string | Promise<string>])[] = [
  [/(?<="password":")(…|bhGnbBrpipnrn2t3)(?=")/, ({ house }) => house.place.admin?.password ?? ""],
  [/(?<=http:\/\/)localhost:8080/, ({ house }) => `127.0.0.1:${house.hub.port}`],
  [/(?<=--url )https:\/\/hub\.example:8080/, ({ house }) => `http://127.0.0.1:${house.hub.port}`],
  [/(?<=HUB_TOKEN=)hub_…/, ({ house }) => house.key],
  [/(?<=\/rules\/)ID/, () => "door-light"],
  [/(?<=\/discovery\/)ID/, ({ house }) => waiting(house)],
  [/(?<=\/requests\/)8c5f…/, ({ house }) => activeRequest(house)],
  [/(?<=device-account )bridge/, () => "zigbee_bridge"],
  [/(?<=--home )\/opt\/hub/, ({ house }) => join(house.folder, "opt")],
];

/** What has to be so before a command, where the document says so in words. */
const BEFORE: readonly (readonly [RegExp, (occasion: Occasion) => Promise<unknown>])[] = [
  [/^sha256sum /, ({ shell }) => shell.run("sha256sum hub-linux-arm64 > SHA256SUMS")],
  [/^hub restore house\.zip +# while/, ({ house }) => house.stop()],
  [/^CONFIRMATION=/, ({ house }) => house.start()],
  [/backup list --target cloud/, ({ house, shell }) => copyElsewhere(house, shell)],
  // A person has read and saved a rule since the plugin was started.
  [/\/devices\/virtual_front_door\/state/, ({ house }) => isThere(house, "virtual_front_door")],
];

/** Commands that go on until they are interrupted. */
const ENDLESS = /^(?:bin\/)?hub \S+ --follow|^mosquitto_sub .*-v/;
/** Exit codes beside 0 that are an answer: `hub status` with problems. */
const ALSO_RIGHT: readonly (readonly [RegExp, number])[] = [[/\bhub status/, 4]];
/** On the new machine, which has another home. */
const ELSEWHERE = /^sudo \.\/hub-linux-arm64 (backup|restore)/;

const hasTools = ["curl", "jq", "mosquitto_pub", "man", "bash"].every((tool) => Bun.which(tool) !== null);
const documents = [
  ...ORDER,
  ...DOCUMENTS.filter((name) => !ORDER.includes(name) && name !== "docs/operations.md"),
  "docs/operations.md",
];
const isRun = ({ text }: Printed): boolean => !NOT_RUN.some(([pattern]) => pattern.test(text));

async function waiting({ hub }: DocumentedHouse): Promise<string> {
  const found = await hub.get<{ id: string; state: string }[]>("/discovery");
  return encodeURIComponent(found.find(({ state }) => state === "waiting")?.id ?? "");
}

function isThere({ hub }: DocumentedHouse, id: string): Promise<unknown> {
  return until(`${id} is there`, async () => {
    const answer = await hub.request("GET", `/devices/${id}`);
    return answer.status === 200 && answer.json<{ available: boolean }>().available;
  });
}

/** A plugin's question that is still to be answered. */
async function activeRequest({ hub }: DocumentedHouse): Promise<string> {
  const answer = await hub.request("POST", "/plugins/bridge/actions/pair", { body: {} });
  const { request_id, active_request_id } = answer.json<{ request_id: string; active_request_id?: string }>();
  return active_request_id ?? request_id;
}

async function copyElsewhere({ hub }: DocumentedHouse, shell: Shell): Promise<void> {
  await hub.request("POST", "/system/backups");
  await shell.run("hub backup --recovery > recovery-sheet.toml");
  await until("the copy is there", async () =>
    (await shell.run("hub backup list --target cloud")).output.includes(".age"),
  );
}

async function asRun({ text }: Printed, occasion: Occasion): Promise<string> {
  let command = text;
  for (const [pattern, put] of PLACEHOLDERS) {
    if (pattern.test(command)) command = command.replace(pattern, await put(occasion));
  }
  if (ELSEWHERE.test(command)) return `HUB_HOME=${occasion.house.folder}/new ${command}`;
  return ENDLESS.test(command) ? `timeout --preserve-status --signal=INT 3 ${command}` : command;
}

describe.skipIf(!hasTools)("commands of", () => {
  let house: DocumentedHouse;
  beforeAll(async () => {
    house = await startDocumentedHouse();
  }, 60_000);
  afterAll(() => house[Symbol.asyncDispose]());

  // In one test, as what a document makes others may speak of.
  test("the documents do what is printed beside them", async () => {
    const wrong: string[] = [];
    let ran = 0;
    for (const document of documents) {
      const commands = shellCommandsOf(document).filter(isRun);
      if (commands.length === 0) continue;
      using shell = await house.openShell();
      for (const printed of commands) {
        const occasion = { house, shell };
        for (const [pattern, prepare] of BEFORE) if (pattern.test(printed.text)) await prepare(occasion);
        const command = await asRun(printed, occasion);
        const { code, output } = await until("it need not wait for another command", async () => {
          const ran = await shell.run(command);
          return ran.output.includes("is under way: wait until it has finished") ? undefined : ran;
        });
        const isRight = code === 0 || ALSO_RIGHT.some(([pattern, also]) => pattern.test(command) && also === code);
        if (!isRight) wrong.push(`${printed.place}: ${printed.text}\n  ended with ${code}: ${output.slice(-500)}`);
        ran++;
      }
    }
    expect(wrong).toEqual([]);
    expect(ran).toBeGreaterThan(60);
  }, 300_000);
});

test("what is not run is there, and has a reason", () => {
  const all = DOCUMENTS.flatMap(shellCommandsOf);
  const stale = NOT_RUN.filter(([pattern]) => !all.some(({ text }) => pattern.test(text)));
  expect(stale).toEqual([]);
});
