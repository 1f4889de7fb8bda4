// The password, given again for what puts programs on the hub or replaces the house: the hub's answer is good for some minutes.
import { signal } from "@preact/signals";
import { ApiError, post } from "./api.ts";

interface Asking {
  give(password: string): Promise<void>;
  cancel(): void;
}

/** Somebody waits for the password: a dialog shows this. */
export const askingForPassword = signal<Asking | undefined>();

// The hub counts from when it answered.
const MARGIN_SECS = 30;
let given: { confirmation: string; until: number } | undefined;

/** The header for such a request; asks the person where it has to. Rejects with an ApiError where they do not want to. */
export async function confirmation(): Promise<Record<string, string>> {
  if (!given || performance.now() >= given.until) given = await ask();
  return { "x-hub-confirmation": given.confirmation };
}

/** Does what may turn out to ask for the password. */
export async function withConfirmation<T>(send: (headers: Record<string, string>) => Promise<T>): Promise<T> {
  try {
    return await send({});
  } catch (error) {
    if (!(error instanceof ApiError && error.asksForPassword)) throw error;
    given = undefined;
    return send(await confirmation());
  }
}

function ask(): Promise<NonNullable<typeof given>> {
  askingForPassword.peek()?.cancel();
  const { promise, resolve, reject } = Promise.withResolvers<NonNullable<typeof given>>();
  const asking: Asking = {
    async give(password) {
      const asked = performance.now();
      const answer = await post<{ confirmation: string; expires_in: number }>("/auth/confirm", { password });
      resolve({ confirmation: answer.confirmation, until: asked + (answer.expires_in - MARGIN_SECS) * 1000 });
    },
    cancel: () => reject(new ApiError(0, { code: "not_confirmed" })),
  };
  askingForPassword.value = asking;
  return promise.finally(() => {
    if (askingForPassword.peek() === asking) askingForPassword.value = undefined;
  });
}
