// What of the network between the hub, its standby and the lease's engine is cut, and what the hub promises meanwhile (docs/standby.md).
import type { Machine } from "../machines/network.ts";

export interface Cut {
  name: string;
  /** It says OK; or that a change is here alone; or the other machine takes over if this lasts. */
  hub: "confirms" | "alone" | "ends";
  /** Before it is over, nobody can take over. */
  isInTheWay?: true;
  /** Nor do people reach the hub. */
  isSilent?: true;
  set(isCut: boolean): void;
}

/** Who loses what it has for the other one, and so hears of an error: this one, the other one, or both. */
export type Way = "near" | "far" | "both";
export const WAYS: readonly Way[] = ["near", "far", "both"];

export const NOTHING = "nothing cut";

interface Parts {
  hub: Machine;
  standby: Machine;
  engine: readonly Machine[];
}

/** In turn: those first that ask most of a take-over, as a campaign has time for a few. */
export function cutsOf({ hub, standby, engine }: Parts, way: Way): Cut[] {
  const part = (one: Machine, others: readonly Machine[], isCut: boolean): void => {
    for (const other of others) {
      if (way !== "far") one.ignore(other.address, isCut);
      if (way !== "near") other.ignore(one.address, isCut);
    }
  };
  const plug = (machines: readonly Machine[], isCut: boolean): void => {
    for (const machine of machines) machine.plug(!isCut);
  };
  const [node, ...nodes] = engine;
  // The others are a majority.
  const ofACluster: Cut[] =
    node && nodes.length > 0
      ? [
          { name: `hub|node ${way}`, hub: "confirms", set: (isCut) => part(hub, [node], isCut) },
          { name: "node unplugged", hub: "confirms", set: (isCut) => plug([node], isCut) },
        ]
      : [];
  return [
    { name: `hub|engine+standby ${way}`, hub: "ends", set: (isCut) => part(hub, [standby, ...engine], isCut) },
    { name: `hub|engine ${way}`, hub: "confirms", set: (isCut) => part(hub, engine, isCut) },
    { name: `hub|standby ${way}`, hub: "alone", set: (isCut) => part(hub, [standby], isCut) },
    { name: "hub unplugged", hub: "ends", isSilent: true, set: (isCut) => plug([hub], isCut) },
    { name: `standby|engine ${way}`, hub: "confirms", isInTheWay: true, set: (isCut) => part(standby, engine, isCut) },
    { name: "engine unplugged", hub: "confirms", isInTheWay: true, set: (isCut) => plug(engine, isCut) },
    { name: "standby unplugged", hub: "alone", isInTheWay: true, set: (isCut) => plug([standby], isCut) },
    { name: NOTHING, hub: "confirms", set: () => {} },
    ...ofACluster,
  ];
}
