// The password, given again for what puts programs on the hub or replaces the house: asked for each time, as the next one may come
// from somebody else at this screen.
import { ApiError, post } from "./api.ts";
import { type Asking, askingForPassword } from "./asking-for-password.ts";

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
    if (!(error instanceof ApiError && error.confirm === "password")) throw error;
    return send(await confirmation());
  }
}
