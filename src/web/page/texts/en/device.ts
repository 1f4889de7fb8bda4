// English: about devices.
export const device = {
  "device.offline": "Not reachable",
  "device.offline_since": "Not reachable since {time}",
  "state.on": "On",
  "state.off": "Off",
  "state.open": "Open",
  "state.closed": "Closed",
  "state.locked": "Locked",
  "state.unlocked": "Unlocked",
  "state.yes": "Yes",
  "state.no": "No",
  "state.unknown": "Nothing reported yet",
} as const;
