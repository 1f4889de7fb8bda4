// What a text is once the build has compiled it.

/** `{name}` and, for a number as it is written in the language, `{#name}`; or what a value chooses: `one`, `other`, `=0`, `=word`. */
export type Message = string | readonly [argument: string, forms: Readonly<Record<string, Message>>];
export type Texts = Readonly<Record<string, Message>>;
