// One hub.toml on two machines, with an address of one of them.
import { expect, test } from "bun:test";
import type { NetworkInterfaceInfo } from "node:os";
import { checkConfig } from "../../../src/app/config/load.ts";
import { onThisMachine } from "../../../src/app/config/on-this-machine.ts";

const at = (address: string, more: Partial<NetworkInterfaceInfo> = {}) =>
  ({ address, family: address.includes(":") ? "IPv6" : "IPv4", internal: false, ...more }) as NetworkInterfaceInfo;
const HERE = {
  lo: [at("127.0.0.1", { internal: true })],
  docker0: [at("172.17.0.1")],
  eth0: [at("192.168.1.21"), at("fd00::21")],
};

function hosts(server: string, mqtt: string, address?: string, interfaces: Parameters<typeof onThisMachine>[3] = HERE) {
  const { config } = checkConfig(`[server]
host = "${server}"
[auth]
jwt_secret = "0123456789012345678901234567890123456789"
[mqtt]
host = "${mqtt}"
[[mqtt.users]]
username = "a"
password = "long-enough-for-everybody"
`);
  if (!config) throw new Error("it is right");
  const found = onThisMachine({ config, warnings: [] }, "hub.toml", address, interfaces);
  return {
    ...{ server: found.config.server.host, mqtt: found.config.mqtt.host },
    warned: found.warnings.map(({ path, message }) => `${path}: ${message}`),
  };
}

test.each([
  ["every address", "0.0.0.0", "::"],
  ["this machine alone", "127.0.0.1", "::1"],
  ["its own", "192.168.1.21", "fd00::21"],
  ["a name, which may mean either machine", "hub.home", "localhost"],
])("left as it is: %s", (_, server, mqtt) => {
  expect(hosts(server, mqtt)).toEqual({ server, mqtt, warned: [] });
});

test("the other machine's address becomes the one at which that one reaches this one", () => {
  const [other, warned] = ["192.168.1.20", "192.168.1.20 is an address of the house's other machine"];
  expect(hosts(other, other, "http://172.17.0.1:8080")).toEqual({
    ...{ server: "172.17.0.1", mqtt: "172.17.0.1" },
    warned: [
      `server.host: ${warned}: this one listens at 172.17.0.1 instead`,
      `mqtt.host: ${warned}: this one listens at 172.17.0.1 instead`,
    ],
  });
  expect(hosts("fd00::20", "127.0.0.1", "https://[fd00::21]:8443").server).toBe("fd00::21");
  // A name, or one that it has no longer: the first that others can reach, and no container's.
  for (const address of ["http://kitchen.local:8080", "http://192.168.1.99:8080", "no address", undefined])
    expect(hosts(other, "127.0.0.1", address)).toMatchObject({ server: "192.168.1.21", mqtt: "127.0.0.1" });
});

test("without a network nothing is changed: the start says what is wrong", () => {
  expect(hosts("192.168.1.20", "127.0.0.1", undefined, { lo: HERE.lo })).toMatchObject({ server: "192.168.1.20" });
});
