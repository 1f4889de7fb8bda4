import { DoorLockServer } from "@matter/main/behaviors/door-lock";
import { DoorLock } from "@matter/main/clusters/door-lock";
import { DoorLockDevice } from "@matter/main/devices/door-lock";
import { askAgain, booleanOf, type ClusterValues, has, type MakePart, whenAskedAgain, whenSet } from "./part.ts";

const { Locked, Unlocked } = DoorLock.LockState;

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
        lockState: DoorLock.LockState.NotFullyLocked,
        // They count for PIN codes alone, and are checked all the same.
        wrongCodeEntryLimit: 5,
        userCodeTemporaryDisableTime: 10,
      },
    },
    values({ locked }): ClusterValues {
      const state = booleanOf(locked);
      if (state === undefined) return {};
      return { doorLock: { lockState: state ? Locked : Unlocked } };
    },
    watch(endpoint, ask) {
      whenSet(endpoint, "doorLock", "lockState", (state) => ask({ locked: state === Locked }));
      whenAskedAgain(endpoint, (locked) => ask({ locked }));
    },
  };
};
