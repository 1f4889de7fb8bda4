// What a tile or a sheet of one device needs to command it: redrawn for its own commands alone.

import { type ReadonlySignal, useComputed } from "@preact/signals";
import type { Device } from "../../model/device/device.ts";
import type { Attributes } from "../../model/device/json.ts";
import { command, pending, refused } from "../../state/house/command.ts";
import { mayUse } from "../../state/house/lists.ts";
import type { ApiError } from "../../state/hub/api.ts";
import { connection } from "../../state/hub/live.ts";

export interface Commanding {
  /** What is reported, with what was just asked for. */
  attributes: Attributes;
  isPending: boolean;
  problem: ApiError | undefined;
  /** Nothing can be asked for now, or not by this person. */
  isLocked: boolean;
  send: (wanted: Attributes) => void;
}

export function useCommand(of: ReadonlySignal<Device>): Commanding {
  const { id, attributes, available } = of.value;
  const wanted = useComputed(() => pending.value.get(id)).value;
  const problem = useComputed(() => refused.value.get(id)).value;
  const isOpen = useComputed(() => connection.value.state === "live" && mayUse("device", id)).value;
  return {
    attributes: wanted ? { ...attributes, ...wanted } : attributes,
    isPending: wanted !== undefined,
    problem,
    isLocked: !isOpen || !available,
    send: (next) => void command(id, next),
  };
}
