// Databases that somebody put other files in the place of while the hub ran, as when a house is moved.
import { RESTART_THE_HUB } from "../../../kit/schema/errors.ts";
import type { Exchanged } from "../../db/own-file.ts";
import type { Finding, Watch } from "../alert.ts";

export interface WatchedDatabase {
  /** Its file, for people. */
  file: string;
  exchanged: () => Exchanged | undefined;
}

export function exchangedWatch(databases: readonly WatchedDatabase[]): Watch {
  return {
    name: "exchanged databases",
    check: () =>
      databases.flatMap(({ file, exchanged }): Finding[] => {
        const found = exchanged();
        if (!found) return [];
        return [
          {
            kind: "database_exchanged",
            about: file,
            severity: "critical",
            message: `${file} was exchanged while the hub ran: it goes on without the new file, and ${formerOf(found)}`,
            mend: `When everything is copied, ${RESTART_THE_HUB}: it starts with the new file. What changes before that is not in it. Where the former state database was written over, the hub restarts by itself.`,
            values: { database: file },
          },
        ];
      }),
  };
}

function formerOf({ keptAs, isWrittenOver }: Exchanged): string {
  if (keptAs === undefined) return "nothing is left of the former one";
  return isWrittenOver
    ? `of the former one, which was written over, the last changes are kept as ${keptAs}`
    : `the former one is kept as ${keptAs}`;
}
