// The password, given again for what puts programs on the hub or replaces the house: asked for each time, as the next one may come
// from somebody else at this screen.
import { signal } from "@preact/signals";
import { ApiError, post } from "./api.ts";

interface Asking {
  give(password: string): Promise<void>;
  cancel(): void;
}

/** Somebody waits for the password: a dialog shows this. */
export const askingForPassword = signal<Asking | undefined>();

/** Asks the person, and resolves with the header for such a request. Rejects with an ApiError where they do not want to. */
export function confirmation(): Promise<Record<string, string>> {
  askingForPassword.peek()?.cancel();
  const { promise, resolve, reject } = Promise.withResolvers<Record<string, string>>();
  const asking: Asking = {
    async give(password) {
      const answer = await post<{ confirmation: string }>("/auth/confirm", { password });
      resolve({ "x-hub-confirmation": answer.confirmation });
    },
    cancel: () => reject(new ApiError(0, { code: "not_confirmed" })),
  };
  askingForPassword.value = asking;
  return promise.finally(() => {
    if (askingForPassword.peek() === asking) askingForPassword.value = undefined;
  });
}

/** Does what may turn out to ask for the password. */
export async function withConfirmation<T>(send: (headers: Record<string, string>) => Promise<T>): Promise<T> {
  try {
    return await send({});
  } catch (error) {
    if (!(error instanceof ApiError && error.asksForPassword)) throw error;
    return send(await confirmation());
  }
}
