import type { ImportLine } from '#core';

/** What one statement of a request brings: with more it would take longer than a statement may. */
const linesInPart = 1_000;

/**
 * The lines of a push in parts that come to the same, applied one after the other in one transaction, as all of them at once:
 * of several lines about the same value the last one is left, and each metric is named by its last line from its first
 * part on.
 */
export function partsOf(lines: readonly ImportLine[]): readonly (readonly ImportLine[])[] {
  if (lines.length <= linesInPart) return [lines];
  const lastOfValue = new Map<string, ImportLine>();
  const lastOfSeries = new Map<string, ImportLine>();
  for (const line of lines) {
    if (line.record.type !== 'metric') continue;
    const { key, period } = line.record.metric;
    lastOfValue.set(`${key} ${period}`, line);
    lastOfSeries.set(key, line);
  }
  const lasts = new Set(lastOfValue.values());
  const names = new Set(lastOfSeries.values());
  const others = lines.filter(
    (line) => !names.has(line) && (line.record.type !== 'metric' || lasts.has(line)),
  );
  const ordered = [...names, ...others.map((line) => named(line, lastOfSeries))];
  return Array.from({ length: Math.ceil(ordered.length / linesInPart) }, (_, part) =>
    ordered
      .slice(part * linesInPart, (part + 1) * linesInPart)
      .toSorted((one, other) => one.line - other.line),
  );
}

function named(line: ImportLine, lastOfSeries: ReadonlyMap<string, ImportLine>): ImportLine {
  if (line.record.type !== 'metric') return line;
  const last = lastOfSeries.get(line.record.metric.key)?.record;
  if (last?.type !== 'metric') return line;
  const { label, category } = last.metric;
  return {
    ...line,
    record: { type: 'metric', metric: { ...line.record.metric, label, category } },
  };
}
