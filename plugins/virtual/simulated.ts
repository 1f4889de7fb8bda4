// One simulated device in the hub: its state through time, its commands, and who caused what it reports.
import type { Static, TObject } from "@sinclair/typebox";
import type { Cause, JsonObject, LooseJson } from "../sdk/index.ts";
import { problemsOf } from "./commands.ts";
import type { VirtualPlugin } from "./config.ts";
import type { HouseClock } from "./house-clock.ts";
import type { Kind, World } from "./kind.ts";

export const VERSION = "1.0.0";

export interface House {
  plugin: VirtualPlugin;
  world: World;
  clock: HouseClock;
}

export interface Place<S, A extends TObject> {
  id: string;
  name: string;
  area: string;
  kind: Kind<S, A>;
}

export interface Simulated {
  readonly id: string;
  attributes(): LooseJson;
  /** Lives on to the present moment and reports what is new. */
  advance(): void;
  /** Obeys a command and reports; throws with all that speaks against it. */
  obey(command: JsonObject): void;
  /** Reports what this command would make of it, without obeying; the next report is the truth again. */
  pretend(command: JsonObject): void;
}

export function simulate<S, A extends TObject>(house: House, { id, name, area, kind }: Place<S, A>): Simulated {
  const { plugin, world, clock } = house;
  let atSecs = clock.now();
  let state = kind.initial(atSecs, world);
  let wake: Disposable | undefined;

  const device = plugin.device({
    id,
    name,
    area,
    deviceType: kind.deviceType,
    capabilities: kind.capabilities,
    manufacturer: "Hub",
    model: kind.model,
    swVersion: VERSION,
    onCommand(command, cause) {
      const reason = reasonAgainst(command);
      if (reason === undefined) carryOut(command, cause);
      else refuse(reason, cause);
      return undefined;
    },
  });

  function reasonAgainst(command: JsonObject): string | undefined {
    const problems = problemsOf(command, kind);
    return problems.length > 0 ? problems.join("; ") : kind.objection?.(command as Static<A>);
  }

  function carryOut(command: JsonObject, cause?: Cause): void {
    live();
    state = kind.obey(state, command as Static<A>, atSecs);
    report(cause);
    wakeFor(cause);
  }

  // The hub has said 202 already: whoever follows the events finds the refusal by the correlation id of that answer.
  function refuse(reason: string, cause?: Cause): void {
    plugin.log.warn("a command was refused", { device_id: id, reason });
    plugin.emit("command_refused", { device_id: id, reason, correlation_id: cause?.correlation_id });
  }

  function live(): void {
    const now = clock.now();
    state = kind.step(state, { fromSecs: atSecs, toSecs: now }, world);
    atSecs = now;
  }

  function report(cause?: Cause): void {
    device.set(kind.attributes(state), cause ? { cause } : {});
  }

  function advance(cause?: Cause): void {
    live();
    report(cause);
  }

  /** `cause` is the command whose consequences are awaited. */
  function wakeFor(cause?: Cause): void {
    wake?.[Symbol.dispose]();
    const next = kind.nextAt?.(state);
    if (next === undefined) return;
    wake = plugin.after(clock.msUntil(next), () => {
      advance(cause);
      wakeFor(cause);
    });
  }

  return {
    id,
    attributes: () => kind.attributes(state),
    advance: () => advance(),
    obey(command) {
      const reason = reasonAgainst(command);
      if (reason !== undefined) throw new Error(reason);
      carryOut(command);
    },
    pretend: (command) => device.set(kind.attributes(kind.obey(state, command as Static<A>, atSecs))),
  };
}
