// How a group is as a whole, and its switch.
import type { Signal } from "@preact/signals";
import type { Device } from "../state/house.ts";
import { controlsOf } from "./controls.ts";
import { stateInWords } from "./kinds.ts";
import { Problem } from "./problem.tsx";
import { offlineText } from "./tile.tsx";
import { Toggle } from "./toggle.tsx";
import { useCommand } from "./use-command.ts";

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
