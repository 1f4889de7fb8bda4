// Twin of a rule: bare aedes, and a function that answers each state of a device that is on with a command. No accounts, no
// rights, no comparing, no event, no trace.
import { createServer } from "node:net";
import { Aedes } from "aedes";

const COMMAND = JSON.stringify({ on: true, brightness: 80 });

const aedes = await Aedes.createBroker({ concurrency: 0 });
aedes.on("publish", (packet, client) => {
  if (!client || !packet.topic.endsWith("/state")) return;
  const { on } = JSON.parse(packet.payload.toString()) as { on: boolean };
  if (!on) return;
  const topic = packet.topic.replace(/state$/, "cmd");
  aedes.publish({ cmd: "publish", topic, payload: COMMAND, qos: 0, retain: false, dup: false }, () => {});
});
const broker = createServer((socket) => {
  socket.setNoDelay(true);
  aedes.handle(socket);
});
broker.listen(0, "127.0.0.1", () => {
  const address = broker.address();
  process.stdout.write(`mqtt port=${typeof address === "object" ? address?.port : undefined}\n`);
});
