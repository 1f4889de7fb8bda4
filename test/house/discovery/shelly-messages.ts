// Messages of Shelly devices of the second generation and later, as the firmware sends them.

export interface Gen2 {
  prefix: string;
  info: Record<string, unknown>;
  config: Record<string, unknown>;
  status: Record<string, unknown>;
}

const sys = (mac: string) => ({
  ...{ mac, restart_required: false, time: "12:00", unixtime: 1768478400, uptime: 612, ram_size: 260_000 },
  ...{ cfg_rev: 12, kvs_rev: 0, schedule_rev: 0, webhook_rev: 0, available_updates: {}, reset_reason: 3 },
});
const wifi = { sta_ip: "192.168.1.60", status: "got ip", ssid: "house", rssi: -58 };
const others = {
  ble: {},
  cloud: { connected: false },
  mqtt: { connected: true },
  "script:1": { id: 1, running: true },
};

function device(
  id: string,
  model: string,
  more: { app: string; name?: string; config?: object; status: object },
): Gen2 {
  const mac = id.split("-")[1]?.toUpperCase() ?? "";
  const { app, name = null, config = {}, status } = more;
  return {
    prefix: id,
    info: { name, id, mac, slot: 0, model, gen: 2, fw_id: "20251107-071225/1.7.4", ver: "1.7.4", app, auth_en: false },
    config: { sys: { device: { name, mac, fw_id: "20251107-071225/1.7.4" } }, ...config },
    status: { ...others, sys: sys(mac), wifi, ...status },
  };
}

const meter = (apower: number) => ({
  ...{ apower, voltage: 231.4, freq: 50, current: 0.19 },
  aenergy: { total: 1204.5, by_minute: [730, 0, 0], minute_ts: 1768478400 },
  temperature: { tC: 44.1, tF: 111.4 },
});

export const PLUS_1PM = device("shellyplus1pm-441793a3b2c4", "SNSW-001P16EU", {
  ...{ app: "Plus1PM", name: "Boiler" },
  config: { "switch:0": { id: 0, name: "Pump" }, "input:0": { id: 0, name: null, type: "switch" } },
  status: { "input:0": { id: 0, state: false }, "switch:0": { id: 0, source: "init", output: false, ...meter(0) } },
});

export const PLUS_2PM_COVER = device("shellyplus2pm-441793a3b2c5", "SNSW-002P16EU", {
  app: "Plus2PM",
  status: {
    "cover:0": {
      id: 0,
      source: "init",
      state: "stopped",
      pos_control: true,
      current_pos: 50,
      slat_pos: 10,
      ...meter(0),
    },
    ...{ "input:0": { id: 0, state: false }, "input:1": { id: 1, state: false } },
  },
});

export const PLUS_I4 = device("shellyplusi4-441793a3b2c6", "SNSN-0024X", {
  app: "PlusI4",
  config: Object.fromEntries([0, 1, 2, 3].map((id) => [`input:${id}`, { id, type: "button" }])),
  status: Object.fromEntries([0, 1, 2, 3].map((id) => [`input:${id}`, { id, state: null }])),
});

export const RGBW_PM = device("shellyplusrgbwpm-441793a3b2c7", "SNDC-0D4P10WW", {
  app: "PlusRGBWPM",
  status: { "rgbw:0": { id: 0, output: true, rgb: [255, 128, 0], brightness: 60, white: 20, ...meter(8.1) } },
});

export const PRO_CCT = device("shellyprorgbwwpm-441793a3b2c8", "SPDC-0D5PE16EU", {
  app: "ProRGBWWPM",
  config: { "cct:0": { id: 0, name: "Shelf", ct_range: [2700, 5000] } },
  status: {
    "cct:0": { id: 0, output: false, brightness: 30, ct: 3000 },
    "light:0": { id: 0, output: true, brightness: 5 },
  },
});

export const PRO_3EM = device("shellypro3em-441793a3b2c9", "SPEM-003CEBEU", {
  app: "Pro3EM",
  status: {
    "em:0": {
      ...{ id: 0, a_current: 1.1, a_voltage: 230.1, a_act_power: 250.5, a_aprt_power: 253, a_pf: 0.99, a_freq: 50 },
      ...{ b_current: 0.1, b_voltage: 229.8, b_act_power: 10, b_aprt_power: 23, b_pf: 0.5, b_freq: 50 },
      ...{ c_current: 0.2, c_voltage: 231, c_act_power: -40, c_aprt_power: 46, c_pf: 0.8, c_freq: 50, n_current: null },
      ...{ total_current: 1.4, total_act_power: 220.5, total_aprt_power: 322, user_calibrated_phase: [] },
    },
    "emdata:0": { id: 0, a_total_act_energy: 1, total_act: 12345.67, total_act_ret: 89.1 },
  },
});

export const WALL_DISPLAY = device("ShellyWallDisplay-000822a3b2ca", "SAWD-0A1XX10EU1", {
  app: "WallDisplay",
  status: {
    "thermostat:0": { id: 0, enable: true, target_C: 21, current_C: 20.4, output: true },
    ...{ "temperature:0": { id: 0, tC: 20.4, tF: 68.7 }, "humidity:0": { id: 0, rh: 44 } },
    ...{ "illuminance:0": { id: 0, lux: 12, illumination: "dark" }, "switch:0": { id: 0, output: true } },
  },
});

/** What a battery-powered H&T of the third generation says when it wakes. */
export const HT_FRAME = {
  ...{ src: "shellyhtg3-84fce63ad204", dst: "shellyhtg3-84fce63ad204/events", method: "NotifyFullStatus" },
  params: {
    ts: 1768478400.12,
    ...{ ble: {}, cloud: { connected: false }, mqtt: { connected: true }, ws: { connected: false }, ht_ui: {} },
    "devicepower:0": { id: 0, battery: { V: 5.41, percent: 72 }, external: { present: false } },
    ...{ "humidity:0": { id: 0, rh: 47.3 }, "temperature:0": { id: 0, tC: 19.7, tF: 67.4 } },
    sys: { ...sys("84FCE63AD204"), wakeup_reason: { boot: "deepsleep_wake", cause: "periodic" }, wakeup_period: 7200 },
    wifi,
  },
};
