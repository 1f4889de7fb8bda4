// ecowitt2mqtt, which takes what a weather station posts.
import { freePort } from "../../support/free-port.ts";
import { until } from "../../support/wait.ts";
import type { Program } from "./program.ts";

/** It calculates from what is in inches, miles and Fahrenheit. */
const near =
  (wanted: number) =>
  (value: unknown): boolean =>
    Math.abs(Number(value) - wanted) < 0.01;

/** As a GW2000 with outdoor sensors, soil sensor, leak sensor and lightning posts it. */
const POSTED = {
  PASSKEY: "0123456789ABCDEF0123456789ABCDEF",
  stationtype: "GW2000A_V3.1.4",
  runtime: "4711",
  dateutc: "2026-11-20+10:11:12",
  tempinf: "70.5",
  humidityin: "48",
  baromrelin: "29.920",
  baromabsin: "29.100",
  tempf: "50.0",
  humidity: "81",
  winddir: "225",
  windspeedmph: "5.59",
  windgustmph: "8.05",
  solarradiation: "120.5",
  uv: "2",
  rainratein: "0.000",
  dailyrainin: "0.118",
  soilmoisture1: "37",
  soilbatt1: "1.5",
  leak_ch1: "0",
  lightning_num: "3",
  wh65batt: "0",
  freq: "868M",
  model: "GW2000A",
};

export const ECOWITT: Program = {
  name: "ecowitt2mqtt",
  version: "2026.1.0",
  topics: ["ecowitt2mqtt/#"],
  async start({ run, bin, broker }) {
    const { host, port, username, password } = broker;
    const listen = freePort();
    const at = ["--mqtt-broker", host, "--mqtt-port", String(port), "--mqtt-username", username];
    const how = [
      "--mqtt-password",
      password,
      "--hass-discovery",
      "--disable-calculated-data",
      "--port",
      String(listen),
      "--output-unit-system",
      "metric",
    ];
    const server = run([bin("ecowitt2mqtt"), ...at, ...how]);
    const post = async (): Promise<boolean> => {
      const body = new URLSearchParams(POSTED);
      const url = `http://127.0.0.1:${listen}/data/report`;
      return fetch(url, { method: "POST", body, signal: AbortSignal.timeout(5000) }).then(
        ({ ok }) => ok,
        () => false,
      );
    };
    await until("it takes what is posted", post, { timeoutMs: 30_000 });
    return server;
  },
  devices: [
    {
      name: "GW2000",
      attributes: {
        temp: { value: near(10), unit: "°C" },
        temperature: { value: near(10), unit: "°C" },
        tempin: { value: near(21.39), unit: "°C" },
        humidity: { value: 81, unit: "%" },
        humidityin: { value: 48, unit: "%" },
        baromabs: { value: near(985.44), unit: "hPa" },
        pressure_baromabs: { value: near(985.44), unit: "hPa" },
        baromrel: { value: near(1013.21), unit: "hPa" },
        pressure_baromrel: { value: near(1013.21), unit: "hPa" },
        winddir: { value: 225, unit: "°" },
        windspeed: { value: near(9), unit: "km/h" },
        windgust: { value: near(12.96), unit: "km/h" },
        irradiance: { value: 120.5, unit: "W/m²" },
        uv: { value: 2, unit: "UV index" },
        rainrate: { value: 0, unit: "mm/h" },
        dailyrain: { value: near(3), unit: "mm" },
        soilmoisture1: { value: 37, unit: "%" },
        soilbatt1: { value: 1.5, unit: "V" },
        moisture: { value: false },
        leak: { value: false },
        lightning_num: { value: 3, unit: "strikes" },
        battery_low: { value: false },
        runtime: { value: 4711, unit: "s" },
      },
    },
  ],
};
