import { closest, distance } from 'fastest-levenshtein';
import { unknownParameter } from '#core';

const longestName = 64;
const maxTypos = 3;

/**
 * What is silently ignored is a mistake found late.
 *
 * @throws InputError `invalid_parameter`, naming a field that is not known, and the one that may have been meant
 */
export function checkNames(sent: object, known: readonly string[]): void {
  const unknown = Object.keys(sent).find((name) => !known.includes(name));
  if (unknown !== undefined) throw unknownParameter(unknown, known, nearest(unknown, known));
}

/** The name that a slip of the hand may have missed; a long one is compared no further than a name may reach. */
function nearest(name: string, known: readonly string[]): string | undefined {
  if (known.length === 0 || name.length > longestName) return undefined;
  const candidate = closest(name, known);
  const typos = Math.min(maxTypos, Math.floor(name.length / 2));
  return distance(name, candidate) <= typos ? candidate : undefined;
}
