// How the end of a run reaches actions that wait: what they wait for throws this, and nobody reports it.

export class RunEnded extends Error {
  constructor() {
    super("this run of the rule is over");
    this.name = "RunEnded";
  }
}
