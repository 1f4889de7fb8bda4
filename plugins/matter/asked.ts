// What the other side asks of a device in one action, as one command of the hub: hue and saturation, on and the level. The action waits
// for the hub's answer, and fails as the command does.
import type { ActionContext, Participant } from "@matter/main";
import { Status, StatusResponseError } from "@matter/types";
import type { JsonObject } from "../sdk/index.ts";
import { HubRefusal } from "./answers.ts";
import type { Ask } from "./parts/part.ts";

/** `send`: throws where the command comes to nothing. `name`: of the device, another for each. */
export function collect(name: string, send: (command: JsonObject) => Promise<void>): Ask {
  const role = {};
  return ({ transaction }: ActionContext, command) => {
    const asked = (transaction.getParticipant(role) as Asked | undefined) ?? new Asked(role, name, send);
    transaction.addParticipants(asked);
    // Where nothing that is shown changes, nothing else would begin it, and what is not begun is not committed.
    transaction.beginSync();
    asked.add(command);
  };
}

class Asked implements Participant {
  readonly role: object;
  readonly #name: string;
  readonly #send: (command: JsonObject) => Promise<void>;
  #command: JsonObject = {};
  #isSettled = true;

  constructor(role: object, name: string, send: (command: JsonObject) => Promise<void>) {
    this.role = role;
    this.#name = name;
    this.#send = send;
  }

  add(command: JsonObject): void {
    this.#command = { ...this.#command, ...command };
    this.#isSettled = false;
  }

  /** Is called until nobody asks for more; only then is it sent. What it throws is the action's result, and undoes what was set. */
  preCommit(): boolean | Promise<boolean> {
    if (!this.#isSettled) {
      this.#isSettled = true;
      return true;
    }
    const { on, ...others } = this.#command;
    this.#command = {};
    const command: JsonObject = on === undefined ? others : on === false ? { on } : { on, ...others };
    if (Object.keys(command).length === 0) return false;
    return this.#send(command).then(
      () => false,
      (error: unknown) => {
        throw inMatter(error);
      },
    );
  }

  toString(): string {
    return `command of ${this.#name}`;
  }
}

/** The hub's answers; what is not here, such as 409 for a device that is away, is a failure, as Matter's own bridges answer then. */
const STATUS: Readonly<Record<number, Status>> = {
  400: Status.ConstraintError,
  403: Status.UnsupportedAccess,
  404: Status.NotFound,
  429: Status.Busy,
};

function inMatter(error: unknown): StatusResponseError {
  const isLate = error instanceof Error && error.name === "TimeoutError";
  const status = error instanceof HubRefusal ? STATUS[error.status] : isLate ? Status.Timeout : undefined;
  return new StatusResponseError(error instanceof Error ? error.message : String(error), status ?? Status.Failure);
}
