// Runs Zigbee2MQTT's own code with a pretended radio: bun bridge.ts FOLDER-WITH-NODE_MODULES, with its data folder in
// ZIGBEE2MQTT_DATA. A line of JSON on its input is something that a device says; lines that begin with @ say what the radio was asked.
import { createRequire } from "node:module";
import { join } from "node:path";
import { createRadioClass, type Radio, type Spoken, type ZclModule } from "./radio.ts";

const [folder = "."] = process.argv.slice(2);
const load = createRequire(join(folder, "package.json"));
const report = (event: Record<string, unknown>): void => void process.stdout.write(`@${JSON.stringify(event)}\n`);

const { Adapter } = load("zigbee-herdsman/dist/adapter/adapter.js") as {
  Adapter: ConstructorParameters<typeof Object> & { create: unknown };
};
const zcl = load("zigbee-herdsman/dist/zspec/zcl/index.js") as ZclModule;
const RadioClass = createRadioClass(Adapter as never, zcl, report);
let radio: Radio | undefined;
Adapter.create = async (...options: unknown[]) => {
  const made = new RadioClass(...options);
  radio = made;
  return made;
};

const { Controller } = load("zigbee2mqtt/dist/controller.js") as {
  Controller: new (
    restart: () => Promise<void>,
    exit: (code: number) => Promise<void>,
  ) => { start(): Promise<void>; stop(restart: boolean): Promise<void> };
};
const controller = new Controller(
  async () => report({ restart: true }),
  async (code) => process.exit(code),
);
process.on("SIGTERM", () => void controller.stop(false));
await controller.start();
report({ started: true });

for await (const line of console) radio?.speak(JSON.parse(line) as Spoken);
