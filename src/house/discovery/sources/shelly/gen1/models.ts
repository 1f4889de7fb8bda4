// What the models of the first generation have. Their announcement says no more than the model and its mode.

const METERED = ["relay/0", "relay/0/power", "relay/0/energy"];
const INPUT = ["input/0", "input_event/0"];
const TEMPERATURE = ["temperature", "overtemperature"];
const DIMMER = [...lights("light", 1), "light/0/power", "light/0/energy", ...inputs(2), ...TEMPERATURE];
const MOTION = ["status", "info"];

const MODELS = new Map<string, readonly string[]>(
  Object.entries({
    "SHSW-1": ["relay/0", ...INPUT],
    "SHSW-PM": [...METERED, ...INPUT, ...TEMPERATURE],
    "SHSW-25": [...METERED, "relay/1", "relay/1/power", "relay/1/energy", ...inputs(2), ...TEMPERATURE, "voltage"],
    "SHSW-25:roller": ["roller/0", "roller/0/pos", "roller/0/power", "roller/0/energy", ...TEMPERATURE, "voltage"],
    ...{ "SHPLG-S": [...METERED, ...TEMPERATURE], "SHPLG-1": METERED, "SHPLG-U1": METERED },
    ...{ "SHDM-1": DIMMER, "SHDM-2": DIMMER },
    "SHRGBW2:color": [...lights("color", 1), "color/0/power", "color/0/energy", "input/0", "input_event/0"],
    "SHRGBW2:white": [...lights("white", 4), ...[0, 1, 2, 3].map((one) => `white/${one}/power`), "input/0"],
    "SHBDUO-1": [...lights("light", 1), "light/0/power", "light/0/energy"],
    "SHVIN-1": [...lights("light", 1), "light/0/power", "light/0/energy"],
    "SHCB-1": [...lights("color", 1), "color/0/power", "color/0/energy"],
    "SHBLB-1": lights("color", 1),
    "SHHT-1": ["sensor/temperature", "sensor/humidity", "sensor/battery"],
    "SHDW-1": ["sensor/state", "sensor/tilt", "sensor/vibration", "sensor/lux", "sensor/battery"],
    "SHDW-2": ["sensor/state", "sensor/tilt", "sensor/vibration", "sensor/lux", "sensor/temperature", "sensor/battery"],
    ...{ "SHMOS-01": MOTION, "SHMOS-02": MOTION },
    "SHWT-1": ["sensor/flood", "sensor/temperature", "sensor/battery"],
    "SHSM-01": ["sensor/smoke", "sensor/temperature", "sensor/battery"],
    ...{ "SHBTN-1": [...inputs(1), "sensor/battery"], "SHBTN-2": [...inputs(1), "sensor/battery"] },
    "SHIX3-1": inputs(3),
    SHEM: ["relay/0", ...meters(2, ["power", "reactive_power", "voltage", "total", "total_returned"])],
    "SHEM-3": ["relay/0", ...meters(3, ["power", "pf", "current", "voltage", "total", "total_returned"])],
    "SHTRV-01": ["info", "status"],
  }),
);

const SLEEPS = /^SH(HT|WT|DW|BTN|SM)-/;

function lights(kind: string, count: number): string[] {
  return Array.from({ length: count }, (_, at) => `${kind}/${at}/status`);
}

function inputs(count: number): string[] {
  return Array.from({ length: count }, (_, at) => [`input/${at}`, `input_event/${at}`]).flat();
}

function meters(count: number, quantities: readonly string[]): string[] {
  return Array.from({ length: count }, (_, at) => quantities.map((one) => `emeter/${at}/${one}`)).flat();
}

/** Ends of the topics it reports on; of another model none, until it reports. */
export function pathsOf(model: string, mode: string | undefined): readonly string[] {
  return MODELS.get(`${model}:${mode}`) ?? MODELS.get(model) ?? [];
}

/** A device with a battery wakes, reports, and is away again. */
export function sleeps(model: string): boolean {
  return SLEEPS.test(model);
}
