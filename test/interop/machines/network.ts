// The machines of the pretended house: each a network namespace with one cable to the switch, which is where this program is.

export interface Machine {
  readonly name: string;
  readonly address: string;
  /** The same command, run there. */
  on(command: readonly string[]): string[];
  /** Takes its cable out, or puts it back. */
  plug(isIn: boolean): void;
  /** Loses all that it has for that address, or no longer. */
  ignore(address: string, isIgnored: boolean): void;
}

const SWITCH = "house0";
const subnet = (host: number): string => `10.77.0.${host}`;

function ip(...args: string[]): void {
  const { exitCode, stderr } = Bun.spawnSync(["ip", ...args], { stderr: "pipe" });
  if (exitCode !== 0) throw new Error(`ip ${args.join(" ")}: ${stderr}`);
}

/** This program's own address there. */
export function createSwitch(): string {
  ip("link", "set", "lo", "up");
  ip("link", "add", SWITCH, "type", "bridge");
  ip("address", "add", `${subnet(1)}/24`, "dev", SWITCH);
  ip("link", "set", SWITCH, "up");
  return subnet(1);
}

/** `host`: the last number of its address. */
export function createMachine(name: string, host: number): Machine {
  const cable = `to-${name}`;
  ip("netns", "add", name);
  ip("link", "add", cable, "type", "veth", "peer", "name", "eth0", "netns", name);
  ip("link", "set", cable, "master", SWITCH, "up");
  ip("-n", name, "address", "add", `${subnet(host)}/24`, "dev", "eth0");
  ip("-n", name, "link", "set", "eth0", "up");
  ip("-n", name, "link", "set", "lo", "up");
  return {
    name,
    address: subnet(host),
    on: (command) => ["ip", "netns", "exec", name, ...command],
    plug: (isIn) => ip("link", "set", cable, isIn ? "up" : "down"),
    ignore: (address, isIgnored) => ip("-n", name, "route", isIgnored ? "add" : "delete", "blackhole", address),
  };
}
