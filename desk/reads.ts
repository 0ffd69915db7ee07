import type { DeskContext } from './context.ts';

type DateField = 'since' | 'until';

/** Which days are asked for. */
export interface Days {
  readonly since: Date | undefined;
  readonly until: Date | undefined;
  /** What is wrong with a day, by its field. */
  readonly invalid: Readonly<Partial<Record<DateField, 'date' | 'order'>>>;
}

/** Days are whole days of UTC. */
export function readDays({ query }: Pick<DeskContext, 'query'>): Days {
  const since = readDay(query.since, '00:00:00.000');
  const until = readDay(query.until, '23:59:59.999');
  const isReversed = since != null && until != null && until < since;
  return {
    since: since ?? undefined,
    until: until ?? undefined,
    invalid: {
      ...(since === null && { since: 'date' }),
      ...(until === null && { until: 'date' }),
      ...(isReversed && { until: 'order' }),
    },
  };
}

/** Null: it is no day of these times. */
function readDay(text: string | undefined, time: string): Date | null | undefined {
  if (!text) return undefined;
  if (!/^[2-9]\d{3}-\d\d-\d\d$/.test(text)) return null;
  const instant = new Date(`${text}T${time}Z`);
  // A day that its month does not have would become one of the next month.
  return !Number.isNaN(instant.getTime()) && instant.toISOString().startsWith(text)
    ? instant
    : null;
}

/** The address of a page with what of the query is named, and more. */
export function withQuery(
  path: string,
  names: readonly string[],
  { query }: Pick<DeskContext, 'query'>,
  more: Readonly<Record<string, string>> = {},
): string {
  const kept = names.flatMap((name) => (query[name] ? [[name, query[name]]] : []));
  const search = new URLSearchParams([...kept, ...Object.entries(more)]).toString();
  return search === '' ? path : `${path}?${search}`;
}
