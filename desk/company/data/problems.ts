import type { NumberedProblem } from '#core';
import type { Language } from '../../messages/index.ts';

/** Core describes a problem in English, for programs. This is the text for the reader. */
export function recordProblem(
  { param }: Pick<NumberedProblem, 'param'>,
  { m }: Pick<Language, 'm'>,
): string {
  const { upload: words } = m.data;
  if (param === null) return words.tooManyMetrics;
  const byField: Readonly<Record<string, string>> = words.recordProblems;
  return Object.hasOwn(byField, param) ? (byField[param] as string) : words.otherRecordProblem;
}
