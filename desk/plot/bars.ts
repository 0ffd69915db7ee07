import { type Html, html } from '../html.ts';
import type { Bin } from './bins.ts';
import { type Described, describedPlot, height } from './svg.ts';

/** Draws each bar as a thick line, with the refusals on top of the reads. */
export function bars(bins: readonly Bin[], described: Described): Html {
  const most = Math.max(1, ...bins.map(sumOf));
  const y = (count: number) => Number((height * (1 - count / most)).toFixed(1));
  const line = (index: number, from: number, to: number) =>
    from === to ? '' : `M${index + 0.5} ${y(from)}V${y(to)}`;
  const read = bins.map(({ allowed }, index) => line(index, 0, allowed)).join('');
  const refused = bins.map((bin, index) => line(index, bin.allowed, sumOf(bin))).join('');
  return describedPlot(
    described,
    bins.length,
    html`<path class="read" d="${read}"/><path class="refused" d="${refused}"/>`,
  );
}

export const sumOf = ({ allowed, refused }: Bin): number => allowed + refused;
