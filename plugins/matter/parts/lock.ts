import { DoorLockServer } from "@matter/main/behaviors/door-lock";
import { DoorLock } from "@matter/main/clusters/door-lock";
import { DoorLockDevice } from "@matter/main/devices/door-lock";
import type { JsonObject } from "../../sdk/index.ts";
import { askAgain, booleanOf, type ClusterValues, has, type MakePart, whenAskedAgain, whenSet } from "./part.ts";

const { Locked, NotFullyLocked, Unlocked } = DoorLock.LockState;

/** A door that is shown as locked is locked again: somebody may have turned the key. */
class LockedServer extends DoorLockServer {
  override lockDoor(request: DoorLock.LockDoorRequest) {
    if (this.state.lockState === Locked) askAgain(this, true);
    return super.lockDoor(request);
  }
  override unlockDoor(request: DoorLock.UnlockDoorRequest) {
    if (this.state.lockState === Unlocked) askAgain(this, false);
    return super.unlockDoor(request);
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
    watch(endpoint, ask) {
      whenSet(endpoint, "doorLock", "lockState", (state) => ask({ locked: state === Locked }));
      whenAskedAgain(endpoint, (locked) => ask({ locked }));
    },
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
