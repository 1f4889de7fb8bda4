// Bare sockets, for bytes that no real client would send.
import { createConnection, type Socket } from "node:net";
import { generate, type IConnectPacket, type Packet, parser } from "mqtt-packet";

export interface RawConnection {
  socket: Socket;
  packets: Packet[];
  closed: () => boolean;
  send(packet: Packet): void;
}

/** A socket that is connected and parses what it gets. */
export function openRaw(port: number, protocolVersion: 4 | 5 = 4, host = "127.0.0.1"): Promise<RawConnection> {
  const packets: Packet[] = [];
  const reader = parser({ protocolVersion });
  reader.on("packet", (packet) => void packets.push(packet));
  let closed = false;
  const socket = createConnection({ port, host });
  socket.on("data", (chunk: Buffer) => void reader.parse(chunk));
  socket.on("error", () => {});
  socket.on("close", () => {
    closed = true;
  });
  const send = (packet: Packet) => void socket.write(generate(packet, { protocolVersion }));
  return new Promise((resolve) => {
    socket.once("connect", () => resolve({ socket, packets, closed: () => closed, send }));
  });
}

export function connectPacket(rest: Partial<IConnectPacket> = {}): IConnectPacket {
  return {
    ...{ cmd: "connect", protocolId: "MQTT", protocolVersion: 4, clean: true, clientId: "raw", keepalive: 0 },
    ...rest,
  } as IConnectPacket;
}
