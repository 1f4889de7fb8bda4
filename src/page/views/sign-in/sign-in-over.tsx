// Signing in again over a view whose session has ended: the view stays beneath with all that was typed into it.
import { useLayoutEffect, useRef } from "preact/hooks";
import { SignIn } from "./sign-in.tsx";

export function SignInOver() {
  const dialog = useRef<HTMLDialogElement>(null);
  // A dialog of the view beneath may be open: the last one that opens is the one that can be used.
  useLayoutEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} class="sign-in-over" onCancel={(event) => event.preventDefault()}>
      <SignIn />
    </dialog>
  );
}
