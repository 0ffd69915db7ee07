import { OperatorError } from './errors.ts';

const nul = '\u0000';
const maxNameLength = 200;

/** Text that every store and every protocol can carry: no NUL, no half of a surrogate pair. */
export function isPlainText(text: string): boolean {
  return !text.includes(nul) && text.isWellFormed();
}

/**
 * The name without the space around it.
 *
 * @throws OperatorError `invalid` when nothing is left, or too much
 */
export function requireName(text: string): string {
  const name = text.trim();
  if (name === '') throw new OperatorError('invalid', 'a name must not be empty');
  if (name.length > maxNameLength) {
    throw new OperatorError('invalid', `a name has at most ${maxNameLength} characters`);
  }
  return requirePlainText(name);
}

/** @throws OperatorError `invalid` */
export function requirePlainText(text: string): string {
  if (!isPlainText(text)) {
    throw new OperatorError('invalid', 'the text holds a character that cannot be stored');
  }
  return text;
}
