// hub standby --of URL: pairs with the hub, then keeps its copy. Without --of it goes on with what was paired before.
import { existsSync, readFileSync } from "node:fs";
import { hostname } from "node:os";
import { countHome } from "../../../copies/backup/archive/home-contents.ts";
import { openCopyNotes } from "../../../copies/standby/copy/note.ts";
import { fingerprintOf, type HubLink, openHubLink, parseAddress } from "../../../copies/standby/follow/hub-link.ts";
import { isPaired, type MachineFile, readMachine, writeMachine } from "../../../copies/standby/machine.ts";
import { HubError, messageOf } from "../../../kit/schema/errors.ts";
import { uuid } from "../../../kit/schema/ids.ts";
import { isObject, type JsonObject } from "../../../kit/schema/json.ts";
import { borrowHome } from "../../../server/home/lock.ts";
import type { Home } from "../../../server/home/paths.ts";
import { counted, findHomeOf, type Invocation } from "../command.ts";
import { enterHome } from "../prepare.ts";
import { text } from "../reach.ts";
import { serve } from "../serve.ts";
import { tokenFor } from "./login.ts";

export async function begin(invocation: Invocation): Promise<number> {
  const { options, io } = invocation;
  if (options.of === undefined) {
    const home = findHomeOf(invocation);
    if (!isPaired(home))
      throw new HubError("not_found", "this machine is no standby yet: say of which hub, with `hub standby --of URL`");
    if (readMachine(home)?.role === "hub") io.platform.stderr.write("this machine is the hub of its house by now\n");
    return serve.run(invocation);
  }
  const { home } = enterHome(invocation);
  const hub = await pair(home, invocation);
  io.platform.stderr.write(`this machine is the standby of ${hub} from now on\n`);
  if (options["pair-only"]) {
    io.platform.stderr.write("start it with `hub standby`, or as a service with `sudo hub service install`\n");
    return 0;
  }
  return serve.run(invocation);
}

/** Resolves with the hub's address. Throws HubError with nothing changed here, which says what to do. */
async function pair(home: Home, invocation: Invocation): Promise<string> {
  const { options, io } = invocation;
  const { origin, protocol, hostname: host } = parseAddress(text(options.of) ?? "");
  const address = text(options.address);
  using _lock = borrowHome(home);
  const before = isPaired(home) ? readMachine(home) : undefined;
  refuseToReplace(home, options["replace-this-house"] === true);
  const { ca, fingerprint } = trustIn(invocation);
  using link = openHubLink(
    origin,
    { ca, fingerprints: fingerprint === undefined ? [] : [fingerprint] },
    io.platform.clock,
  );
  await greet(link);
  if (protocol === "http:" && !["localhost", "127.0.0.1", "[::1]"].includes(host))
    io.platform.stderr.write(
      `warning: ${origin} is without TLS: the copy, with the house's passwords, crosses the network unencrypted\n`,
    );
  const token = await tokenFor(link, invocation);
  const place = objectOf(await link.ask("GET", "/standby", { key: token }), origin);
  const manual = options.manual === true;
  const hasLease = place.lease !== null || place.lease_waits === true;
  if (!hasLease && !manual)
    throw new HubError(
      "conflict",
      `the hub at ${origin} has no lease, so nothing decides which of the two machines is the hub: set \`lease\` in [standby] of its hub.toml; or say --manual, and a person decides`,
    );
  const id = before?.id ?? uuid(io.platform.random);
  const machine = { id, name: hostname(), address: address === undefined ? "" : parseAddress(address).origin, manual };
  const body = { machine, replace: options.replace === true };
  const { key, restarts } = objectOf(await link.ask("POST", "/standby/pair", { key: token, body }), origin);
  if (typeof key !== "string") throw new HubError("upstream_failed", `what answers at ${origin} gave no key`);
  const hub = isObject(place.machine) ? place.machine.id : undefined;
  const file: MachineFile = {
    ...{ version: 1, id, role: "standby", manual, epoch: Number(place.epoch) || 0 },
    ...(machine.address !== "" && { address: machine.address }),
    other: {
      ...{ address: origin, key },
      ...(typeof hub === "string" && { id: hub }),
      ...(ca !== undefined && { ca }),
      ...(fingerprint !== undefined && { fingerprint }),
    },
  };
  writeMachine(home, file);
  if (restarts === true)
    io.platform.stderr.write(
      `the hub at ${origin} did not know of a second machine when it started: it starts again by itself now, once, which takes some seconds\n`,
    );
  return origin;
}

/** A house is never overwritten by mistake. A copy may be: it is one. */
function refuseToReplace(home: Home, isMeant: boolean): void {
  if (isMeant || !existsSync(home.stateDb) || openCopyNotes(home).read()) return;
  const { devices } = countHome(home);
  if (devices === 0) return;
  throw new HubError(
    "conflict",
    `${home.root} holds a house with ${counted(devices, "device")}, which the copy of another would replace: use another --home, or say --replace-this-house; its state is then kept in data/before-standby`,
  );
}

function trustIn({ options }: Invocation): { ca: string | undefined; fingerprint: string | undefined } {
  const [file, given] = [text(options.ca), text(options.fingerprint)];
  const fingerprint = given === undefined ? undefined : fingerprintOf(given);
  if (given !== undefined && fingerprint === undefined)
    throw new HubError("invalid", "--fingerprint must be a SHA-256: 64 hexadecimal digits, with or without colons");
  try {
    return { ca: file === undefined ? undefined : readFileSync(file, "utf8"), fingerprint };
  } catch (error) {
    throw new HubError("invalid", `--ca: ${messageOf(error)}`);
  }
}

/** Whether a hub answers there, before anybody types a password. */
async function greet(link: HubLink): Promise<void> {
  try {
    const health = objectOf(await link.ask("GET", "/health"), link.origin);
    if (health.role !== undefined && health.role !== "hub")
      throw new HubError(
        "conflict",
        `${link.origin} is not the hub but ${String(health.role)}: name the hub's address`,
      );
  } catch (error) {
    if (!(error instanceof HubError) || error.code !== "forbidden") throw error;
    const fingerprint = String(error.details.fingerprint ?? "");
    throw new HubError(
      "forbidden",
      `${error.message}. Its fingerprint is ${fingerprint}: compare it with what \`openssl x509 -noout -fingerprint -sha256 -in CERTIFICATE\` says on the hub, then add --fingerprint ${fingerprint}; or name the authority that signed it, with --ca FILE`,
    );
  }
}

function objectOf(answer: unknown, origin: string): JsonObject {
  if (isObject(answer)) return answer as JsonObject;
  throw new HubError("upstream_failed", `what answers at ${origin} is not a hub that this program knows`);
}
