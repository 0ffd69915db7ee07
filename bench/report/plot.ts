import type { Spread } from '../statistics.ts';
import { formatNumber } from './format.ts';

interface PlotBar {
  readonly label: string;
  readonly spread: Spread;
  readonly isOurs: boolean;
}

export interface PlotGroup {
  readonly title: string;
  readonly bars: readonly PlotBar[];
}

const width = 860;
const left = 190;
const right = 110;
const rowHeight = 24;
const titleHeight = 40;

/** Horizontal bars: medians, with a line from the lowest to the highest round. Each group has a scale of its own. */
export function plotRates(groups: readonly PlotGroup[]): string {
  let top = 10;
  const parts: string[] = [];
  for (const { title, bars } of groups) {
    const most = Math.max(...bars.map(({ spread }) => spread.max));
    const scale = (value: number) => ((width - left - right) * value) / most;
    parts.push(text(10, top + 24, title, 'font-weight="600"'));
    top += titleHeight;
    for (const { label, spread, isOurs } of bars) {
      const middle = top + rowHeight / 2;
      const { median, min, max } = spread;
      parts.push(
        text(left - 8, middle + 4, label, 'text-anchor="end"'),
        `<rect x="${left}" y="${top + 3}" width="${fixed(scale(median))}" height="${rowHeight - 6}" fill="${isOurs ? '#1f6f54' : '#9aa5b1'}"/>`,
        `<path d="M${fixed(left + scale(min))} ${middle}H${fixed(left + scale(max))}" stroke="#111" stroke-width="1.5"/>`,
        text(left + scale(max) + 8, middle + 4, `${formatNumber(median)}/s`),
      );
      top += rowHeight;
    }
    top += 12;
  }
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${top}" font-family="system-ui, sans-serif" font-size="13">
<rect width="100%" height="100%" fill="#fff"/>
${parts.join('\n')}
</svg>
`;
}

const fixed = (value: number) => value.toFixed(1);

function text(x: number, y: number, content: string, attributes = ''): string {
  const escaped = content.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  return `<text x="${fixed(x)}" y="${y}" fill="#111" ${attributes}>${escaped}</text>`;
}
