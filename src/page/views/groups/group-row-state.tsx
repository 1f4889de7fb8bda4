// How a group is as a whole, and its switch.

import type { Signal } from "@preact/signals";
import { controlsOf } from "../../model/device/controls.ts";
import type { Device } from "../../model/device/device.ts";
import { stateInWords } from "../../model/device/kinds.ts";
import { Problem } from "../../parts/acting/problem.tsx";
import { useCommand } from "../../parts/devices/use-command.ts";
import { offlineText } from "../../parts/tile/tile.tsx";
import { Toggle } from "../../ui/toggle.tsx";

export function GroupState({ of }: { of: Signal<Device> }) {
  const { attributes, problem } = useCommand(of);
  const device = of.value;
  return (
    <>
      <p>{device.available ? stateInWords(device, attributes) : offlineText(device)}</p>
      <Problem of={problem} />
    </>
  );
}

/** Only where its devices can be switched. */
export function GroupSwitch({ of }: { of: Signal<Device> }) {
  const { attributes, isLocked, send } = useCommand(of);
  const control = controlsOf(of.value, attributes).find((one) => one.kind === "switch" && one.attribute === "on");
  if (control?.kind !== "switch") return null;
  return <Toggle label={of.value.name} on={control.on} disabled={isLocked} onChange={(on) => send({ on })} />;
}
