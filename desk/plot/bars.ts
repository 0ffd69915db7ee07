import { type Html, html } from '../html.ts';
import type { Bin } from './bins.ts';

interface Described {
  readonly id: string;
  readonly title: string;
  readonly description: string;
}

const height = 100;

/**
 * A bar for each bin, which is a thick line: reads, and refusals on top of them. It is stretched to the room that it has, so its texts stand
 * beside it; where one reads from right to left, the style mirrors it.
 */
export function bars(bins: readonly Bin[], { id, title, description }: Described): Html {
  const most = Math.max(1, ...bins.map(sumOf));
  const y = (count: number) => Number((height * (1 - count / most)).toFixed(1));
  const line = (index: number, from: number, to: number) =>
    from === to ? '' : `M${index + 0.5} ${y(from)}V${y(to)}`;
  const read = bins.map(({ allowed }, index) => line(index, 0, allowed)).join('');
  const refused = bins.map((bin, index) => line(index, bin.allowed, sumOf(bin))).join('');
  return html`<svg class="plot" role="img" aria-labelledby="${id}-title ${id}-description" viewBox="0 0 ${bins.length} ${height}" preserveAspectRatio="none">
<title id="${id}-title">${title}</title><desc id="${id}-description">${description}</desc>
<path class="read" d="${read}"/><path class="refused" d="${refused}"/>
</svg>`;
}

export const sumOf = ({ allowed, refused }: Bin): number => allowed + refused;
