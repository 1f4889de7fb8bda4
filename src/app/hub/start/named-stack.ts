// The parts of a hub in the order of their start, which knows which of them is being stopped.

export class NamedStack extends AsyncDisposableStack {
  readonly #nameOf: () => string;
  /** Of the part whose end is waited for; empty before the first. */
  stopping = "";

  /** `nameOf`: of what is added now. */
  constructor(nameOf: () => string) {
    super();
    this.#nameOf = nameOf;
  }

  override use<T extends AsyncDisposable | Disposable | null | undefined>(part: T): T {
    super.use(part);
    this.#mark();
    return part;
  }

  override defer(stop: () => void | PromiseLike<void>): void {
    super.defer(stop);
    this.#mark();
  }

  /** Runs before what was added last. */
  #mark(): void {
    const name = this.#nameOf();
    super.defer(() => {
      this.stopping = name;
    });
  }
}
