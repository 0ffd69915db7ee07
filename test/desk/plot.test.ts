import { expect, it } from 'vitest';
import { toBins } from '../../desk/plot/bins.ts';

const days = [
  { day: '2026-01-01', allowed: 2, refused: 1 },
  { day: '2026-01-07', allowed: 1, refused: 0 },
  { day: '2026-01-08', allowed: 0, refused: 4 },
];

it('a plot has a bar for each day, even for a day without reads', () => {
  const bins = toBins({ days }, { firstDay: '2025-12-31', lastDay: '2026-01-08' });
  expect(bins.map(({ allowed, refused }) => [allowed, refused])).toEqual([
    [0, 0],
    [2, 1],
    [0, 0],
    [0, 0],
    [0, 0],
    [0, 0],
    [0, 0],
    [1, 0],
    [0, 4],
  ]);
});

it('a plot of many days has a bar for each week, and counts every read', () => {
  const bins = toBins({ days }, { firstDay: '2026-01-01', lastDay: '2026-12-31' });
  expect(bins).toHaveLength(53);
  expect(bins.slice(0, 3)).toEqual([
    { day: '2026-01-01', allowed: 3, refused: 1 },
    { day: '2026-01-08', allowed: 0, refused: 4 },
    { day: '2026-01-15', allowed: 0, refused: 0 },
  ]);
});
