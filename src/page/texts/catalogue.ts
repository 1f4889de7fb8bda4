// Which texts there are: English says it, and the compiler refuses one that is not there.
import type english from "./en.json";

export type TextKey = Exclude<keyof typeof english, "language.name">;
