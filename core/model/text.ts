export const maxNameLength = 200;

/** The longest reason for a decision or a void. */
export const maxReasonLength = 1_000;

/** Returns true if every store and protocol can carry the text: no NUL, no lone surrogate. */
export function isStorable(text: string): boolean {
  return !text.includes('\u0000') && text.isWellFormed();
}

/**
 * Characters that make a text look different from what it is: controls, unusual line ends, characters that change the
 * text direction (embeddings, overrides, isolates), and invisible ones (zero-width spaces, annotations, tags). Marks of
 * Arabic and Hebrew, joiners of scripts and emoji, and soft hyphens are allowed.
 */
const deceptive =
  /[\p{Cc}\p{Zl}\p{Zp}\u180e\u200b\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/u;

/** Additionally allowed in a text of several lines. */
const layout = /[\t\n\r]/;

/** Returns true if a line written by a person can be shown unchanged. */
export function isPlainLine(text: string): boolean {
  return text.isWellFormed() && !deceptive.test(text);
}

/** Returns true if a text of several lines, such as a purpose, can be shown unchanged. */
export function isPlainText(text: string): boolean {
  return text.split(layout).every(isPlainLine);
}

/** The error for a text that isn't plain. */
export const notPlain =
  'holds a control character, or one that turns the direction of text or is not seen';

/** Returns true if a name can be stored unchanged. */
export function isName(text: string): boolean {
  const isOfLength = text.trim() === text && text !== '' && text.length <= maxNameLength;
  return isOfLength && isPlainLine(text);
}
