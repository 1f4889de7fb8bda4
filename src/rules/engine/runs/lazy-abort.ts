// An AbortController that is made when its signal is first asked for: most runs never wait, and `abort` alone takes some 8 µs, because
// it makes an error with a stack.

export interface LazyAbort {
  readonly signal: AbortSignal;
  abort(): void;
}

export function createLazyAbort(): LazyAbort {
  return new Lazy();
}

class Lazy implements LazyAbort {
  #controller: AbortController | undefined;
  #aborted = false;

  get signal(): AbortSignal {
    if (!this.#controller) {
      this.#controller = new AbortController();
      if (this.#aborted) this.#controller.abort();
    }
    return this.#controller.signal;
  }

  abort(): void {
    this.#aborted = true;
    this.#controller?.abort();
  }
}
