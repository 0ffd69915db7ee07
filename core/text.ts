import { ensure } from './errors.ts';

const maxNameLength = 200;

/** Text that every store and every protocol can carry: no NUL, no half of a surrogate pair. */
export function isPlainText(text: string): boolean {
  return !text.includes('\u0000') && text.isWellFormed();
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
  return requirePlainText(name);
}

/** @throws OperatorError `invalid` */
export function requirePlainText(text: string): string {
  ensure(isPlainText(text), 'invalid', 'the text holds a character that cannot be stored');
  return text;
}
