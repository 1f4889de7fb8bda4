// Messages of Tasmota devices, as the firmware sends them.

const list = (length: number, values: readonly unknown[], otherwise: unknown): unknown[] =>
  Array.from({ length }, (_, at) => values[at] ?? otherwise);

/** `tasmota/discovery/MAC/config` of a Sonoff Basic, with what is particular to another device. */
export function configOf(mac: string, particular: Record<string, unknown> = {}): Record<string, unknown> {
  const { rl = [1], fn = ["Tasmota"], swc = [], swn = [], btn = [], so = {}, ...more } = particular;
  return {
    ...{ ip: "192.168.1.50", dn: "Tasmota", fn: list(8, fn as unknown[], null), hn: `tasmota-${mac.slice(-6)}-4711` },
    ...{ mac, md: "Sonoff Basic", ty: 0, if: 0, ofln: "Offline", onln: "Online" },
    ...{ state: ["OFF", "ON", "TOGGLE", "HOLD"], sw: "14.2.0", t: `tasmota_${mac.slice(-6)}` },
    ...{ ft: "%prefix%/%topic%/", tp: ["cmnd", "stat", "tele"], rl: list(32, rl as unknown[], 0) },
    ...{
      swc: list(28, swc as unknown[], -1),
      swn: list(28, swn as unknown[], null),
      btn: list(32, btn as unknown[], 0),
    },
    so: {
      ...{ "4": 0, "11": 0, "13": 0, "17": 0, "20": 0, "30": 0, "68": 0, "73": 0, "82": 0, "114": 0, "117": 0 },
      ...(so as object),
    },
    ...{ lk: 0, lt_st: 0, bat: 0, dslp: 0, sho: [], sht: [], ver: 1, ...more },
  };
}

const WIFI = {
  ...{ AP: 1, SSId: "house", BSSId: "0A:00:00:00:00:01", Channel: 6, Mode: "11n", RSSI: 78, Signal: -61 },
  ...{ LinkCount: 1, Downtime: "0T00:00:03" },
};

/** `tele/T/STATE` */
export function stateOf(particular: object): Record<string, unknown> {
  return {
    ...{ Time: "2026-01-15T12:00:00", Uptime: "0T00:10:12", UptimeSec: 612, Heap: 25, SleepMode: "Dynamic", Sleep: 50 },
    ...{ LoadAvg: 19, MqttCount: 1, ...particular, Wifi: WIFI },
  };
}

/** `tele/T/SENSOR` of a Nous A1T, and what it announces. */
export const METER = {
  ENERGY: {
    ...{ TotalStartTime: "2025-11-02T09:12:44", Total: 21.482, Yesterday: 0.213, Today: 0.104, Period: 1, Power: 43 },
    ...{ ApparentPower: 61, ReactivePower: 43, Factor: 0.71, Voltage: 231, Current: 0.264 },
  },
};

/** Of a meter with three phases. */
export const PHASES = {
  ENERGY: {
    ...{ TotalStartTime: "2025-01-01T00:00:00", Total: [10.1, 20.2, 30.3], Power: [100, 200, 300], Voltage: 230 },
    Frequency: 50,
  },
};

export const BULB = {
  ...{ POWER: "ON", Dimmer: 80, Color: "CC66000000", HSBColor: "30,100,80", White: 0, CT: 300 },
  ...{ Channel: [80, 40, 0, 0, 0], Scheme: 0, Fade: "OFF", Speed: 1, LedTable: "ON" },
};

export const WEATHER = {
  BME280: { Temperature: 21.5, Humidity: 45.2, DewPoint: 9.1, Pressure: 1008.3 },
  "DS18B20-1": { Id: "011939C3A7FF", Temperature: 4.1 },
  "DS18B20-2": { Id: "011939C3B8FF", Temperature: 55.9 },
  BH1750: { Illuminance: 312 },
  TX23: { Speed: { Act: 14.8, Avg: 8.5, Max: 14.8 }, Dir: { Card: "WSW", Deg: 247.5 } },
  ESP32: { Temperature: 53.3 },
  ...{ PressureUnit: "hPa", TempUnit: "C", SpeedUnit: "km/h" },
};
