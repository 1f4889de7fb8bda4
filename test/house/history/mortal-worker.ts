// The real worker, but a query for the device "fatal" kills it.
import "../../../src/house/history/worker.ts";

declare const self: Worker;

const real = self.onmessage;
self.onmessage = function dieOnFatal(event: MessageEvent<{ query?: { deviceId?: string } }>) {
  if (event.data.query?.deviceId === "fatal") process.exit(1);
  real?.call(self, event);
};
