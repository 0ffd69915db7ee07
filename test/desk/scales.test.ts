import { expect, it } from 'vitest';
import { createFormat } from '../../desk/format.ts';
import { amountScale } from '../../desk/plot/scales.ts';

it.each([
  [
    [990_000.25, 1_500_000],
    ['$1.5M', '$1M', '$500K', '$0'],
  ],
  [
    [-50, 150],
    ['$150', '$100', '$50', '$0', '-$50'],
  ],
  [
    [-3, -8],
    ['$0', '-$2', '-$4', '-$6', '-$8'],
  ],
  [[0], ['$1', '$0.8', '$0.6', '$0.4', '$0.2', '$0']],
] as const)('the ticks of a plot of %j are round and include zero', (amounts, expected) => {
  const { ticks, y } = amountScale(amounts);
  expect(ticks.map((tick) => createFormat('en').compact(tick, 'USD'))).toEqual(expected);
  // The plot's edges are ticks, so labels at equal distances are correct.
  expect([y(ticks.at(0) ?? 1), y(ticks.at(-1) ?? 1)]).toEqual([0, 100]);
});

it('the ticks of a plot use the language’s number format', () => {
  const { compact } = createFormat('de');
  expect([compact(2_500_000, 'EUR'), compact(1_200, null)]).toEqual([
    '2,5\u00a0Mio.\u00a0€',
    '1200',
  ]);
});
