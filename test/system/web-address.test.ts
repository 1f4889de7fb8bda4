// The address that the first start prints, for kinds of network and configuration.
import { expect, test } from "bun:test";
import type { NetworkInterfaceInfo } from "node:os";
import { webAddress } from "../../src/server/system/web-address.ts";
import { createCertificates } from "../reach/notify/certificates.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";

function info(address: string, internal = false): NetworkInterfaceInfo {
  const family = address.includes(":") ? { family: "IPv6" as const, scopeid: 0 } : { family: "IPv4" as const };
  return { address, internal, netmask: "", mac: "", cidr: null, ...family };
}

const LOOPBACK = { lo: [info("127.0.0.1", true), info("::1", true)] };

test("on all interfaces: this machine's address in the house's network", () => {
  const at = (interfaces: Record<string, NetworkInterfaceInfo[]>, host = "0.0.0.0") =>
    webAddress({ host, port: 8080 }, { ...LOOPBACK, ...interfaces });
  const eth0 = [info("fe80::1"), info("192.168.1.20")];
  expect(at({ eth0 })).toBe("http://192.168.1.20:8080");
  expect(at({ eth0 }, "::")).toBe("http://192.168.1.20:8080");
  expect(at({ docker0: [info("172.17.0.1")], wlan0: [info("10.0.0.7")] })).toBe("http://10.0.0.7:8080");
  expect(at({ docker0: [info("172.17.0.1")] })).toBe("http://172.17.0.1:8080");
  expect(at({ usb0: [info("169.254.3.4")] })).toBe("http://localhost:8080");
  expect(at({})).toBe("http://localhost:8080");
});

test("on one interface: that address", () => {
  for (const [host, address] of [
    ["127.0.0.1", "http://127.0.0.1:80"],
    ["::1", "http://[::1]:80"],
    ["home.example", "http://home.example:80"],
  ] as const)
    expect(webAddress({ host, port: 80 }, LOOPBACK)).toBe(address);
});

test("with TLS: a name of the certificate, or the address where it has none", () => {
  using folder = createTemporaryFolder();
  const { cert } = createCertificates(folder);
  expect(webAddress({ host: "0.0.0.0", port: 443, cert }, LOOPBACK)).toBe("https://localhost:443");
  const interfaces = { eth0: [info("192.168.1.20")] };
  expect(webAddress({ host: "0.0.0.0", port: 443, cert: "nonsense" }, interfaces)).toBe("https://192.168.1.20:443");
});
