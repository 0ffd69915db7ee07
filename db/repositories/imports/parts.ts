import { type ImportLine, laterName, type SaidName } from '#core';

/** What one statement of a request brings: with more it would take longer than a statement may. */
const linesInPart = 1_000;

/** What one statement looks at; only revisions are looked at beside each other. */
export const partsToCheck = (lines: readonly ImportLine[]): readonly (readonly ImportLine[])[] =>
  lines.some(({ record }) => record.type === 'revision') ? [lines] : divide(lines);

const divide = (lines: readonly ImportLine[]): readonly (readonly ImportLine[])[] =>
  Array.from({ length: Math.ceil(lines.length / linesInPart) }, (_, part) =>
    lines.slice(part * linesInPart, (part + 1) * linesInPart),
  );

/**
 * The lines of a push in parts that come to the same, applied one after the other in one transaction, as all of them at once:
 * of several lines about the same value the last one is left, and each metric is named by its last line from its first
 * part on. So any line names its metric as all do.
 */
export function partsOf(lines: readonly ImportLine[]): readonly (readonly ImportLine[])[] {
  const lastOfValue = new Map<string, ImportLine>();
  const lastOfSeries = new Map<string, ImportLine>();
  const nameOf = new Map<string, SaidName>();
  for (const line of lines) {
    if (line.record.type !== 'metric') continue;
    const { metric } = line.record;
    const { key, period } = metric;
    lastOfValue.set(`${key} ${period}`, line);
    lastOfSeries.set(key, line);
    nameOf.set(key, laterName(nameOf.get(key), metric));
  }
  const lasts = new Set(lastOfValue.values());
  const names = new Set(lastOfSeries.values());
  const others = lines.filter(
    (line) => !names.has(line) && (line.record.type !== 'metric' || lasts.has(line)),
  );
  const ordered = [...names, ...others].map((line) => named(line, nameOf));
  return divide(ordered).map((part) => part.toSorted((one, other) => one.line - other.line));
}

/** One line of a part for each of its metrics. */
export const oneOfEachMetric = (part: readonly ImportLine[]): readonly ImportLine[] => [
  ...new Map(
    part.flatMap((line) =>
      line.record.type === 'metric' ? [[line.record.metric.key, line] as const] : [],
    ),
  ).values(),
];

function named(line: ImportLine, nameOf: ReadonlyMap<string, SaidName>): ImportLine {
  if (line.record.type !== 'metric') return line;
  const { unsaid: _, ...metric } = line.record.metric;
  return { ...line, record: { type: 'metric', metric: { ...metric, ...nameOf.get(metric.key) } } };
}
