export const maxNameLength = 200;

/** The longest reason for a decision or a void. */
export const maxReasonLength = 1_000;

/** Text that every store and every protocol can carry: no NUL, no half of a surrogate pair. */
export function isStorable(text: string): boolean {
  return !text.includes('\u0000') && text.isWellFormed();
}

/**
 * What makes a text read as something else than it is: controls, line ends of their own kind, what turns the direction
 * of the text around it (embeddings, overrides, isolates), and what is not seen at all (zero-width spaces, annotations,
 * tags). The marks of Arabic and Hebrew, the joiners of scripts and emoji, and soft hyphens are none of these.
 */
const deceptive =
  /[\p{Cc}\p{Zl}\p{Zp}\u180e\u200b\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/u;

/** What a text of several lines may hold beside what a line may. */
const layout = /[\t\n\r]/;

/** Whether a line that people write for others, such as a name, can be shown to them as it is. */
export function isPlainLine(text: string): boolean {
  return text.isWellFormed() && !deceptive.test(text);
}

/** The same for a text of several lines, such as a purpose or a reason. */
export function isPlainText(text: string): boolean {
  return text.split(layout).every(isPlainLine);
}

/** What is wrong with a text that is not plain. */
export const notPlain =
  'holds a control character, or one that turns the direction of text or is not seen';

/** Whether a name can be kept as it is. */
export function isName(text: string): boolean {
  const isOfLength = text.trim() === text && text !== '' && text.length <= maxNameLength;
  return isOfLength && isPlainLine(text);
}
