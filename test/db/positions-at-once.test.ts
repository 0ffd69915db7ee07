import { expect, test } from 'vitest';
import type { Stores } from '../../db/connections/store.ts';
import { createAccessEvents } from '../../db/statements/access-events.ts';

const limits = { size: 1_000, inFlight: 4, waitMilliseconds: 1_000 };

test('all waiting events get their positions in one statement, and later callers wait for the next statement', async () => {
  const answers: ((last: string) => void)[] = [];
  let underWay = 0;
  const requests = {
    async run() {
      underWay += 1;
      expect(underWay).toBe(1);
      const last = await new Promise<string>((resolve) => answers.push(resolve));
      underWay -= 1;
      return [{ last }];
    },
  };
  const { lastPosition } = createAccessEvents({ requests } as unknown as Stores, limits);
  const early = Array.from({ length: 100 }, () => lastPosition());
  await expect.poll(() => answers.length).toBe(1);
  const late = Array.from({ length: 100 }, () => lastPosition());
  answers[0]?.('1');
  expect(new Set(await Promise.all(early))).toEqual(new Set(['1']));
  await expect.poll(() => answers.length).toBe(2);
  answers[1]?.('2');
  expect(new Set(await Promise.all(late))).toEqual(new Set(['2']));
  expect(answers).toHaveLength(2);
});
