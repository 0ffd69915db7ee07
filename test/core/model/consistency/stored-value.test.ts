import { expect, test } from 'vitest';
import type { MetricClaims, StoredRevision } from '#core';
import { findRevisionProblem } from '../../../../core/model/consistency/stored-value.ts';

const revision = (number: number, isNewest = false) =>
  ({ claims: { revision: number } as MetricClaims, isNewest, signature: null }) as StoredRevision;

test.each([
  ['a value with one revision has no problem', [revision(1, true)], null],
  [
    'a value with three revisions in order has no problem',
    [revision(1), revision(2), revision(3, true)],
    null,
  ],
  [
    'a value with a missing revision has a problem',
    [revision(1), revision(3, true)],
    '1, 3* (* is the newest)',
  ],
  [
    'a value with a revision after its newest revision has a problem',
    [revision(1, true), revision(2)],
    '1*, 2 (* is the newest)',
  ],
  ['a value without a newest revision has a problem', [revision(1)], 'its revisions are 1 ('],
])('%s', (_what, value, problem) => {
  if (problem === null) expect(findRevisionProblem(value)).toBeNull();
  else expect(findRevisionProblem(value)).toContain(problem);
});
