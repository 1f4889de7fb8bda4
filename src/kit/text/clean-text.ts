// Texts as every service takes them: well-formed Unicode, without control characters and noncharacters, and not blank.

const LINE_BREAKS = /\r\n?|[\u2028\u2029\u0085]/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is removed
const UNWANTED = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ufdd0-\ufdef\ufffe\uffff]/g;
const BLANK = /^[\p{C}\p{Z}\s\u115f\u1160\u2800\u3164\uffa0]*$/u;

/** Lone surrogates become U+FFFD, all line breaks `\n`; what cannot be seen and services refuse is left out. */
export function clean(text: string): string {
  return text.toWellFormed().replace(LINE_BREAKS, "\n").replace(UNWANTED, "");
}

/** Whether a person would see nothing. */
export function isBlank(text: string): boolean {
  return BLANK.test(text);
}
