// What `hub serve` does before there is a hub. Where there was one before, none of it keeps the house dark: what goes wrong is
// told in the log and in the status.
import { existsSync } from "node:fs";
import { messageOf } from "../core/errors.ts";
import { becomeOwner } from "../home/owner.ts";
import type { Home } from "../home/paths.ts";
import { findHomeOf, type Invocation, type Io, recover } from "./command.ts";
import { layOut } from "./prepare.ts";

export interface Trouble {
  part: string;
  message: string;
}

export interface Entered {
  home: Home;
  troubles: Trouble[];
  laidOut: ReturnType<typeof layOut>;
}

/** Throws HubError where a new home cannot be laid out, or a restore is under way. */
export function enterHome(invocation: Invocation): Entered {
  const { io } = invocation;
  const home = findHomeOf(invocation);
  const troubles: Trouble[] = [];
  // A home that an earlier hub of root's shares with somebody: as unsafe as it was, and in use.
  const stayed = attempt("home", troubles, () => becomeOwner(home)) === FAILED;
  recover(home, io, stayed ? () => ({ [Symbol.dispose]() {} }) : undefined);
  return { home, troubles, laidOut: layOutUnlessKnown(home, io, troubles) };
}

function layOutUnlessKnown(home: Home, io: Io, troubles: Trouble[]): ReturnType<typeof layOut> {
  if (!existsSync(home.stateDb)) return layOut(home, io);
  const done = attempt("home", troubles, () => layOut(home, io));
  return done === FAILED ? { fresh: false, created: [], failed: [], renewed: [], kept: [] } : done;
}

const FAILED = Symbol("failed");

function attempt<T>(part: string, troubles: Trouble[], work: () => T): T | typeof FAILED {
  try {
    return work();
  } catch (error) {
    troubles.push({ part, message: messageOf(error) });
    return FAILED;
  }
}
