import { withQuery } from './address.ts';
import type { DeskContext } from './context.ts';

/** Where each side has its reads. */
export const readsPath = '/desk/activity';

/** The first and the last day that are asked for. */
interface Days {
  readonly since: Date | undefined;
  readonly until: Date | undefined;
}

/** Which reads are asked for. */
export interface Filters<Sought> {
  readonly sought: Sought;
  /** What is wrong with a day, by its field. */
  readonly invalid: Readonly<Partial<Record<keyof Days, 'date' | 'order'>>>;
  readonly isInvalid: boolean;
  /** Whether it is less than all of them. */
  readonly isNarrowed: boolean;
  /** The address of the same reads: of a page of older ones, or of their file. */
  addressOf(path?: string, cursor?: string): string;
}

/** @param names what of the query says it */
export function filtersOf<Sought>(
  { query }: Pick<DeskContext, 'query'>,
  names: readonly string[],
  seek: (days: Days) => Sought,
): Filters<Sought> {
  const { invalid, ...days } = readDays(query);
  const kept = names.flatMap((name) => (query[name] ? [[name, query[name]] as const] : []));
  return {
    sought: seek(days),
    invalid,
    isInvalid: Object.keys(invalid).length > 0,
    isNarrowed: kept.length > 0,
    addressOf: (path = readsPath, cursor) =>
      withQuery(path, { ...Object.fromEntries(kept), cursor }),
  };
}

/** Days are whole days of UTC. */
function readDays(query: DeskContext['query']): Days & Pick<Filters<never>, 'invalid'> {
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
