// Opens the history's file that it is given, and says how that went.
import { messageOf } from "../../src/core/errors.ts";
import { openDatabase } from "../../src/db/open.ts";
import { historyMigrations } from "../../src/history/migrations/index.ts";

declare const self: Worker;

self.onmessage = ({ data: path }: MessageEvent<string>) => {
  try {
    openDatabase({ path, migrations: historyMigrations, now: Date.now }).db.close();
    self.postMessage("open");
  } catch (error) {
    self.postMessage(messageOf(error));
  }
};
self.postMessage("ready");
