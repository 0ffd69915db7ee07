import { expect, it } from 'vitest';
import { splitAtGaps } from '../../desk/plot/gaps.ts';

/** Returns the periods of each unbroken part of the line. */
const parts = (...periods: string[]) =>
  splitAtGaps(periods.map((period) => ({ period }))).map((part) =>
    part.map(({ period }) => period).join(' '),
  );

it.each([
  ['months', ['2026-01-31', '2026-02-28', '2026-03-31', '2026-04-30'], 1],
  ['months, one of them missing', ['2026-01-31', '2026-02-28', '2026-04-30', '2026-05-31'], 2],
  ['quarters', ['2025-12-31', '2026-03-31', '2026-06-30'], 1],
  ['quarters, one of them missing', ['2025-06-30', '2025-12-31', '2026-03-31', '2026-06-30'], 2],
  ['working days', ['2026-11-26', '2026-11-27', '2026-11-30', '2026-12-01', '2026-12-02'], 1],
  ['days, a week of them missing', ['2026-11-01', '2026-11-02', '2026-11-10', '2026-11-11'], 2],
  ['two values, however far apart', ['2024-01-31', '2026-01-31'], 1],
  ['one value', ['2026-01-31'], 1],
  ['nothing', [], 0],
] as const)(
  'the line of a plot is split only where periods are missing: %s',
  (_what, periods, count) => {
    const found = parts(...periods);
    expect(found).toHaveLength(count);
    expect(found.join(' ')).toBe(periods.join(' '));
  },
);
