import { closest, distance } from 'fastest-levenshtein';
import { unknownParameter } from '#core';

const longestName = 64;
const maxTypos = 3;

/**
 * @param parent the name of the field that contains the object, with a dot
 * @throws InputError `invalid_parameter`, with the unknown field and the most similar known field
 */
export function checkNames(sent: object, known: readonly string[], parent = ''): void {
  const unknown = Object.keys(sent).find((name) => !known.includes(name));
  if (unknown === undefined) return;
  throw unknownParameter(`${parent}${unknown}`, known, findNearest(unknown, known));
}

function findNearest(name: string, known: readonly string[]): string | undefined {
  if (known.length === 0 || name.length > longestName) return undefined;
  const candidate = closest(name, known);
  const typos = Math.min(maxTypos, Math.floor(name.length / 2));
  return distance(name, candidate) <= typos ? candidate : undefined;
}
