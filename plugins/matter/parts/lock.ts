import { DoorLockServer } from "@matter/main/behaviors/door-lock";
import { DoorLock } from "@matter/main/clusters/door-lock";
import { DoorLockDevice } from "@matter/main/devices/door-lock";
import { Status } from "@matter/types";
import type { JsonObject } from "../../sdk/index.ts";
import { booleanOf, type ClusterValues, cannot, handOn, has, type MakePart, whenCommanded } from "./part.ts";

const { Locked, NotFullyLocked, Unlocked } = DoorLock.LockState;

/** A door that is shown as locked is locked again: somebody may have turned the key. */
class LockedServer extends DoorLockServer {
  override lockDoor(request: DoorLock.LockDoorRequest) {
    handOn(this, true);
    return super.lockDoor(request);
  }
  override unlockDoor(request: DoorLock.UnlockDoorRequest) {
    handOn(this, false);
    return super.unlockDoor(request);
  }
  // Nobody would lock it when the time is over.
  override unlockWithTimeout(): never {
    throw cannot("the door is not locked again by itself", Status.UnsupportedCommand);
  }
}

export const lock: MakePart = (device) => {
  if (device.device_type !== "lock" || !has(device, "locked")) return undefined;
  return {
    id: "lock",
    type: DoorLockDevice.with(LockedServer),
    fixed: {
      doorLock: {
        lockType: DoorLock.LockType.DeadBolt,
        actuatorEnabled: true,
        operatingMode: DoorLock.OperatingMode.Normal,
        lockState: NotFullyLocked,
        // They count for PIN codes alone, and are checked all the same.
        wrongCodeEntryLimit: 5,
        userCodeTemporaryDisableTime: 10,
      },
    },
    values(words): ClusterValues {
      const lockState = stateOf(words);
      return lockState === undefined ? {} : { doorLock: { lockState } };
    },
    watch: (endpoint, ask) => whenCommanded(endpoint, ask, (locked: boolean) => ({ locked })),
  };
};

/** Undefined where it has reported nothing. While it turns, or is jammed, nobody must take it for locked. */
function stateOf({ locked, lock_state }: JsonObject): number | undefined {
  if (lock_state === "open") return Unlocked;
  if (lock_state === "jammed" || lock_state === "locking" || lock_state === "unlocking") return NotFullyLocked;
  const state = booleanOf(locked);
  if (state === undefined) return locked === null ? NotFullyLocked : undefined;
  return state ? Locked : Unlocked;
}
