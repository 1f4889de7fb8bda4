import { OnOffPlugInUnitDevice } from "@matter/main/devices/on-off-plug-in-unit";
import { booleanOf, has, known, type MakePart } from "./part.ts";
import { SwitchedServer, whenSwitched } from "./switched.ts";

const KINDS = new Set(["switch", "siren", "plug", "outlet"]);

export const onOff: MakePart = (device) => {
  if (!KINDS.has(device.device_type ?? "") || !has(device, "on")) return undefined;
  return {
    id: "switch",
    type: OnOffPlugInUnitDevice.with(SwitchedServer),
    values: ({ on }) => ({ onOff: known({ onOff: booleanOf(on) }) }),
    watch: (endpoint, ask) => whenSwitched(endpoint, ask),
  };
};
