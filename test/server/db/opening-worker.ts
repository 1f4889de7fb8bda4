// Opens the history's file that it is given, and says how that went.
import { historyMigrations } from "../../../src/house/history/migrations/index.ts";
import { messageOf } from "../../../src/kit/schema/errors.ts";
import { openDatabase } from "../../../src/server/db/open.ts";

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
