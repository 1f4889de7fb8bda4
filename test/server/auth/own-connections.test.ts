// Whose a connection from this machine is: by made-up tables of the kernel, and by the real ones.
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { createOwnConnections, ownAddresses } from "../../../src/server/auth/own-connections.ts";

const PLUGINS_UID = 991;
const PROXY_UID = 33;
const HEAD = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n";

interface Row {
  local: string;
  remote: string;
  state?: string;
  uid?: number;
  inode?: number;
}

const row = ({ local, remote, state = "01", uid = PROXY_UID, inode = 77 }: Row): string =>
  `   0: ${local} ${remote} ${state} 00000000:00000000 00:00000000 00000000 ${uid}        0 ${inode} 1 0 20 4 30 10 -1\n`;

/** From 127.0.0.1:40000 to the hub's port 8080, and the hub's end of it. */
const CLIENT = { local: "0100007F:9C40", remote: "0100007F:1F90" };
const SERVER = row({ local: CLIENT.remote, remote: CLIENT.local, uid: PLUGINS_UID });
const PEER = { address: "127.0.0.1", port: 40_000, hubPort: 8080 };

function open(rows: string, { uid = PLUGINS_UID, havePluginsRun = true } = {}) {
  return createOwnConnections({
    havePluginsRun: () => havePluginsRun,
    addresses: ownAddresses(() => ["192.168.1.5", "fe80::1%eth0"]),
    uid,
    tables: () => HEAD + rows,
  });
}

test("addresses of this machine may be a plugin's, others are not", () => {
  const own = open("");
  for (const address of [
    "127.0.0.1",
    "127.8.8.8",
    "::1",
    "::ffff:127.0.0.1",
    "192.168.1.5",
    "::ffff:192.168.1.5",
    "fe80::1",
  ])
    expect({ address, own: own.mayBePlugin(address) }).toEqual({ address, own: true });
  for (const address of ["192.168.1.6", "via 127.0.0.1", ""])
    expect({ address, own: own.mayBePlugin(address) }).toEqual({ address, own: false });
  expect(open("", { havePluginsRun: false }).mayBePlugin("127.0.0.1")).toBe(false);
});

test.each([
  ["another user's", row(CLIENT) + SERVER, false],
  ["the hub's user's", row({ ...CLIENT, uid: PLUGINS_UID }) + SERVER, true],
  ["none that the kernel knows", SERVER, true],
  ["a closed one, which the kernel says is root's", row({ ...CLIENT, uid: 0, inode: 0 }), true],
  ["one that ends", row({ ...CLIENT, state: "06", uid: 0 }), true],
  [
    "another user's, beside one of the hub's user to another address",
    row(CLIENT) + row({ local: CLIENT.local, remote: "0200007F:1F90", uid: PLUGINS_UID }),
    true,
  ],
  ["another user's to another port", row({ ...CLIENT, remote: "0100007F:1F91" }), true],
  ["another user's from another address", row({ ...CLIENT, local: "0200007F:9C40" }), true],
  [
    "another user's, in the table of IPv6",
    row({ local: "0000000000000000FFFF00000100007F:9C40", remote: "0000000000000000FFFF00000100007F:1F90" }),
    false,
  ],
])("%s", (_, rows, isOurs) => {
  expect(open(rows).mayBeOfPlugin(PEER)).toBe(isOurs);
});

test("a hub of root trusts no connection of this machine, and each trusts those of others", () => {
  expect(open(row(CLIENT), { uid: 0 }).mayBeOfPlugin(PEER)).toBe(true);
  expect(open("").mayBeOfPlugin({ ...PEER, address: "192.168.1.9" })).toBe(false);
});

test.each(["127.0.0.1", "::1"])("the kernel's own tables say whose a connection from %s is", async (hostname) => {
  using server = Bun.listen({ hostname, port: 0, socket: { data() {} } });
  const socket = await Bun.connect({ hostname, port: server.port, socket: { data() {} } });
  const peer = { address: hostname, port: socket.localPort, hubPort: server.port };
  const own = (uid: number) =>
    createOwnConnections({
      havePluginsRun: () => true,
      addresses: ownAddresses(() => []),
      uid,
      tables: () => ["/proc/net/tcp", "/proc/net/tcp6"].map((path) => readFileSync(path, "latin1")).join(""),
    });
  const uid = process.getuid?.() ?? 0;
  expect(own(uid + 1).mayBeOfPlugin(peer)).toBe(false);
  if (uid !== 0) expect(own(uid).mayBeOfPlugin(peer)).toBe(true);
  socket.end();
});
