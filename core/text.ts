import { ensure } from './errors.ts';

const maxNameLength = 200;

/** Text that every store and every protocol can carry: no NUL, no half of a surrogate pair. */
export function isPlainText(text: string): boolean {
  return !text.includes('\u0000') && text.isWellFormed();
}

/** Embeddings, overrides and isolates; the marks that Arabic and Hebrew need are none of these. */
const directionControls = /[\u202a-\u202e\u2066-\u2069]/;

/** Whether nothing in the text turns the direction of what stands around it, so that it reads as something else. */
export function keepsDirection(text: string): boolean {
  return !directionControls.test(text);
}

/** Whether a name can be kept as it is. */
export function isName(text: string): boolean {
  const isOfLength = text.trim() === text && text !== '' && text.length <= maxNameLength;
  return isOfLength && keepsDirection(text) && isPlainText(text);
}

/**
 * The name without the space around it.
 *
 * @throws OperatorError `invalid` when nothing is left, or too much
 */
export function requireName(text: string): string {
  const name = text.trim();
  ensure(name !== '', 'invalid', 'a name must not be empty');
  ensure(name.length <= maxNameLength, 'invalid', `a name has at most ${maxNameLength} characters`);
  ensure(keepsDirection(name), 'invalid', 'a name must not turn the direction of text');
  return requirePlainText(name);
}

/** @throws OperatorError `invalid` */
export function requirePlainText(text: string): string {
  ensure(isPlainText(text), 'invalid', 'the text holds a character that cannot be stored');
  return text;
}
