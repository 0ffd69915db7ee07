import type { Spread } from '../statistics.ts';

/** Three significant digits, with separators for thousands. */
export function formatNumber(value: number): string {
  if (!Number.isFinite(value)) return '–';
  if (Math.abs(value) >= 100) return Math.round(value).toLocaleString('en');
  return String(Number(value.toPrecision(3)));
}

export function formatSpread(spread: Spread | null, unit = ''): string {
  if (spread === null) return 'not measured';
  const { median, min, max } = spread;
  if (Number.isNaN(median)) return '–';
  return `${formatNumber(median)}${unit} (${formatNumber(min)}–${formatNumber(max)})`;
}

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}
