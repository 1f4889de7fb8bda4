// Twin of the way from MQTT to the socket: bare aedes, and each payload published as it is. No accounts, no rights, no
// parsing, no comparing, no event.
import { createServer } from "node:net";
import { Aedes } from "aedes";

const server = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  fetch: (request, self) => (self.upgrade(request) ? undefined : new Response("no", { status: 426 })),
  websocket: { perMessageDeflate: false, open: (socket) => void socket.subscribe("all"), message() {} },
});
const aedes = await Aedes.createBroker({ concurrency: 0 });
aedes.on("publish", (packet, client) => {
  if (client) server.publish("all", packet.payload.toString());
});
const broker = createServer((socket) => {
  socket.setNoDelay(true);
  aedes.handle(socket);
});
broker.listen(0, "127.0.0.1", () => {
  const address = broker.address();
  const port = typeof address === "object" ? address?.port : undefined;
  process.stdout.write(`http port=${server.port}\nmqtt port=${port}\n`);
});
