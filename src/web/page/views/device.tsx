// One device.
import { useRoute } from "preact-iso";
import { stateInWords } from "../components/kinds.ts";
import { devices } from "../state/house.ts";
import { NotFound } from "./not-found.tsx";

export function DeviceView() {
  const { params } = useRoute();
  const device = devices.value.get(params.id ?? "")?.value;
  if (!device) return <NotFound />;
  return (
    <>
      <h1 dir="auto">{device.name}</h1>
      <p>{stateInWords(device, device.attributes)}</p>
    </>
  );
}
