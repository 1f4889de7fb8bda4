// rtl_433, which receives what sensors send at 433 MHz, and the script that comes with it and announces them. Its radio is a
// pretended one that sends the pulses of two thermometers.
import { existsSync } from "node:fs";
import { until } from "../../support/wait.ts";
import type { ExpectedDevice, Program } from "./program.ts";
import { openRadio } from "./radio.ts";

const SCRIPT = "/usr/share/doc/rtl-433/examples/rtl_433_mqtt_hass.py";

/** What two Nexus thermometers sent: 21.4 °C and 48 % of the first; 8.8 °C, 87 % and an empty battery of the second. */
const RECEIVED = ["5e80d6f30", "071058f57"].map((hex) => BigInt(`0x${hex}`).toString(2).padStart(36, "0"));

/** What the script announces of one: what it does not, such as its channel, is no attribute. */
const thermometer = (
  name: string,
  { temperature, humidity, battery }: { temperature: number; humidity: number; battery: number },
): ExpectedDevice => ({
  name,
  device_type: "sensor",
  attributes: {
    temperature: { value: temperature, unit: "°C" },
    humidity: { value: humidity, unit: "%" },
    battery: { value: battery, unit: "%" },
    timestamp: {},
  },
});

export const RTL_433: Program = {
  name: "rtl_433",
  version: "22.11",
  topics: ["rtl_433/#"],
  missing() {
    if (!Bun.which("rtl_433")) return "there is no rtl_433: apt-get install rtl-433";
    return existsSync(SCRIPT) ? undefined : `there is no ${SCRIPT}`;
  },
  async start({ run, bin, broker }) {
    const { host, port, username, password } = broker;
    const env = { MQTT_USERNAME: username, MQTT_PASSWORD: password };
    const script = run([bin("python"), SCRIPT, "--debug", "-H", host, "-p", String(port), "--retain"], { env });
    await until("the script has connected", () => /connected|SUBACK/i.test(script.log));
    const radio = openRadio(RECEIVED);
    const to = `mqtt://${host}:${port},user=${username},pass=${password},retain=1`;
    run(["rtl_433", "-d", `rtl_tcp:127.0.0.1:${radio.port}`, "-R", "19", "-C", "si", "-F", to]);
    return script;
  },
  devices: [
    thermometer("Nexus-TH-1-94", { temperature: 21.4, humidity: 48, battery: 100 }),
    thermometer("Nexus-TH-2-7", { temperature: 8.8, humidity: 87, battery: 1 }),
  ],
};
