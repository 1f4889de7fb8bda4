// The devices of the pretended Zigbee network, as Zigbee2MQTT's own database keeps them. What each can do, Zigbee2MQTT knows by model.

export const BULB = "0x000b57fffe000001";
export const SECOND_BULB = "0x000b57fffe000002";
export const REMOTE = "0x000b57fffe000003";
export const SENSOR = "0x00158d0000000004";

export const NETWORK_ADDRESS = { [BULB]: 101, [SECOND_BULB]: 102, [REMOTE]: 103, [SENSOR]: 104 } as const;

interface Described {
  ieee: keyof typeof NETWORK_ADDRESS;
  type: "Router" | "EndDevice";
  maker: string;
  model: string;
  /** Of what it can be commanded and what it reports. */
  inputs: number[];
  outputs: number[];
}

const DEVICES: readonly Described[] = [
  bulb(BULB, "TRADFRI bulb E27 CWS opal 600lm"),
  bulb(SECOND_BULB, "TRADFRI bulb E27 WS opal 980lm"),
  {
    ...{ ieee: REMOTE, type: "EndDevice", maker: "IKEA of Sweden", model: "TRADFRI on/off switch" },
    ...{ inputs: [0, 1, 3, 32], outputs: [3, 4, 6, 8, 25] },
  },
  {
    ...{ ieee: SENSOR, type: "EndDevice", maker: "LUMI", model: "lumi.weather" },
    ...{ inputs: [0, 3, 1026, 1027, 1029], outputs: [0, 4] },
  },
];

function bulb(ieee: Described["ieee"], model: string): Described {
  return {
    ...{ ieee, type: "Router", maker: "IKEA of Sweden", model },
    ...{ inputs: [0, 3, 4, 5, 6, 8, 768], outputs: [5, 25] },
  };
}

/** `database.db`: one entry a line. */
export function databaseText(now: number): string {
  const entries = DEVICES.map(({ ieee, type, maker, model, inputs, outputs }, index) => ({
    ...{ id: index + 2, type, ieeeAddr: ieee, nwkAddr: NETWORK_ADDRESS[ieee], manufId: 4476 },
    ...{ manufName: maker, modelId: model, powerSource: type === "Router" ? "Mains (single phase)" : "Battery" },
    ...{ epList: [1], interviewCompleted: true, interviewState: "SUCCESSFUL", lastSeen: now, meta: {} },
    endpoints: { "1": endpoint(inputs, outputs) },
  }));
  const coordinator = {
    ...{ id: 1, type: "Coordinator", ieeeAddr: "0x00124b0001020304", nwkAddr: 0, manufId: 0, epList: [1] },
    ...{ interviewCompleted: true, interviewState: "SUCCESSFUL", meta: {}, endpoints: { "1": endpoint([], []) } },
  };
  return [coordinator, ...entries].map((entry) => `${JSON.stringify(entry)}\n`).join("");
}

function endpoint(inClusterList: number[], outClusterList: number[]) {
  return {
    ...{ profId: 260, epId: 1, devId: 0, inClusterList, outClusterList, clusters: {}, binds: [] },
    ...{ configuredReportings: [], meta: {} },
  };
}

/** `configuration.yaml`; YAML takes JSON. */
export function configurationText({
  server,
  user,
  password,
}: {
  server: string;
  user: string;
  password: string;
}): string {
  const names = { [BULB]: "living/bulb", [SECOND_BULB]: "hall bulb", [REMOTE]: "remote", [SENSOR]: "weather" };
  return JSON.stringify({
    version: 5,
    mqtt: { base_topic: "zigbee2mqtt", server, user, password },
    serial: { port: "/dev/null", adapter: "ember" },
    advanced: { log_output: ["console"], log_level: "info", channel: 11, pan_id: 6754 },
    frontend: { enabled: false },
    homeassistant: { enabled: false },
    availability: { enabled: true },
    devices: Object.fromEntries(Object.entries(names).map(([ieee, name]) => [ieee, { friendly_name: name }])),
  });
}
