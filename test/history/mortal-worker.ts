// The real worker, which dies at a word: a query for the device "fatal".
import "../../src/history/worker.ts";

declare const self: Worker;

const real = self.onmessage;
self.onmessage = function dieAtAWord(event: MessageEvent<{ query?: { deviceId?: string } }>) {
  if (event.data.query?.deviceId === "fatal") process.exit(1);
  real?.call(self, event);
};
