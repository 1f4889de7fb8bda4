// Theengs Gateway, which reads the advertisements of Bluetooth devices. Without a radio it reads them from its own subscription, which
// is there for gateways that only listen: from there on it is the same code that decodes, announces and publishes.
import { until } from "../../support/wait.ts";
import { isNumber, nothing, type Program } from "./program.ts";

const FOR_IT = "home/advertisements";

/** As a radio receives them: a thermometer's service data, and the example of Ruuvi's own description of its data format. */
const RECEIVED = [
  { id: "4C:65:A8:D0:11:22", rssi: -61, servicedatauuid: "fe95", servicedata: "5020aa01152211d0a8654c0d1004d6000602" },
  { id: "CB:B8:33:4C:88:4F", rssi: -70, manufacturerdata: "99040512fc5394c37c0004fffc040cac364200cdcbb8334c884f" },
];

export const THEENGS: Program = {
  name: "Theengs Gateway",
  version: "1.8.0",
  topics: ["home/#"],
  async start({ run, bin, broker, hub }) {
    const { host, port, username, password } = broker;
    const args = ["--host", host, "--port", String(port), "--user", username, "--pass", password, "--ble", "0"];
    const more = ["--config", "theengs.conf", "--subscribe_topic", FOR_IT];
    const gateway = run([bin("python"), "-m", "TheengsGateway", ...args, ...more]);
    await until("the gateway listens", () => gateway.log.includes(`Subscribed to ${FOR_IT}`));
    const radio = await hub.mqtt();
    // They are sent over and over, as by real ones.
    const timer = setInterval(() => {
      if (radio.connected)
        for (const one of RECEIVED) void radio.publishAsync(FOR_IT, JSON.stringify(one)).catch(() => {});
    }, 500);
    timer.unref();
    return gateway;
  },
  devices: [
    {
      name: "Mi Jia round-D01122",
      attributes: {
        temperature: { value: 21.4, unit: "°C" },
        humidity: { value: 51.8, unit: "%" },
        rssi: { value: -61, unit: "dBm" },
        battery: { value: nothing, unit: "%" },
      },
    },
    {
      name: "RuuviTag-4C884F",
      attributes: {
        temperature: { value: 24.3, unit: "°C" },
        humidity: { value: 53.49, unit: "%" },
        pressure: { value: 1000.44, unit: "hPa" },
        voltage: { value: isNumber, unit: "V" },
        rssi: { value: -70, unit: "dBm" },
        tx: { value: 4, unit: "dBm" },
        tracker: { value: "home" },
        accx: { value: isNumber, unit: "m/s²" },
        accy: { value: isNumber, unit: "m/s²" },
        accz: { value: isNumber, unit: "m/s²" },
        mov: { value: 66 },
        seq: { value: 205 },
      },
    },
  ],
};
