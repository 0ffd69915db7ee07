import { expect, test } from 'vitest';
import type { MetricClaims, StoredRevision } from '#core';
import { findRevisionProblem } from '../../../../core/model/consistency/stored-value.ts';

const revision = (number: number, isNewest = false) =>
  ({ claims: { revision: number } as MetricClaims, isNewest, signature: null }) as StoredRevision;

test.each([
  ['a value with only its first revision is consistent', [revision(1, true)], null],
  [
    'a value with three consecutive revisions is consistent',
    [revision(1), revision(2), revision(3, true)],
    null,
  ],
  [
    'a value without its second revision is inconsistent',
    [revision(1), revision(3, true)],
    '1, 3* (* is the newest)',
  ],
  [
    'a value whose highest revision isn’t marked as the newest is inconsistent',
    [revision(1, true), revision(2)],
    '1*, 2 (* is the newest)',
  ],
  [
    'a value without a revision that is marked as the newest is inconsistent',
    [revision(1)],
    'its revisions are 1 (',
  ],
])('%s', (_what, value, problem) => {
  if (problem === null) expect(findRevisionProblem(value)).toBeNull();
  else expect(findRevisionProblem(value)).toContain(problem);
});
