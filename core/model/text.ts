export const maxNameLength = 200;

export const maxReasonLength = 1_000;

/** Returns true if the text has no NUL and no lone surrogate, which some databases can't store. */
export function isStorable(text: string): boolean {
  return !text.includes('\u0000') && text.isWellFormed();
}

/**
 * Characters that make a text look different from its content: controls, unusual line ends, characters that change the
 * text direction (embeddings, overrides, isolates), and invisible ones (zero-width spaces, annotations, tags).
 * Direction marks for Arabic and Hebrew, joiners in scripts and emoji, and soft hyphens are allowed.
 */
const deceptive =
  /[\p{Cc}\p{Zl}\p{Zp}\u180e\u200b\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/u;

const layout = /[\t\n\r]/;

/** Returns true if the line has no deceptive characters and no lone surrogate. */
export function isPlainLine(text: string): boolean {
  return text.isWellFormed() && !deceptive.test(text);
}

/** Like `isPlainLine`, but allows tabs and line breaks. */
export function isPlainText(text: string): boolean {
  return text.split(layout).every(isPlainLine);
}

export const notPlain =
  'contains a control character, an invisible character, or one that changes the text direction';

export function isName(text: string): boolean {
  const isOfLength = text.trim() === text && text !== '' && text.length <= maxNameLength;
  return isOfLength && isPlainLine(text);
}
