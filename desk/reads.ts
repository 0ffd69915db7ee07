import { withQuery } from './address.ts';
import { buttonLink } from './components/buttons.ts';
import { field } from './components/fields.ts';
import type { DeskContext } from './context.ts';
import { type Html, html, nothing } from './html.ts';

const readsPath = '/desk/activity';

interface Days {
  readonly since: Date | undefined;
  readonly until: Date | undefined;
}

export interface Filters<Criteria> {
  readonly criteria: Criteria;
  readonly invalid: Readonly<Partial<Record<keyof Days, 'date' | 'order'>>>;
  readonly isInvalid: boolean;
  readonly isNarrowed: boolean;
  addressOf(path?: string, cursor?: string): string;
}

/** @param names the query parameters of the filters */
export function filtersOf<Criteria>(
  { query }: Pick<DeskContext, 'query'>,
  names: readonly string[],
  seek: (days: Days) => Criteria,
): Filters<Criteria> {
  const { invalid, ...days } = readDays(query);
  const selectedFilters = names.flatMap((name) =>
    query[name] ? [[name, query[name]] as const] : [],
  );
  return {
    criteria: seek(days),
    invalid,
    isInvalid: Object.keys(invalid).length > 0,
    isNarrowed: selectedFilters.length > 0,
    addressOf: (path = readsPath, cursor) =>
      withQuery(path, { ...Object.fromEntries(selectedFilters), cursor }),
  };
}

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

/** Returns null if the text isn't a valid date, and undefined without a text. */
function readDay(text: string | undefined, time: string): Date | null | undefined {
  if (!text) return undefined;
  if (!/^[2-9]\d{3}-\d\d-\d\d$/.test(text)) return null;
  const instant = new Date(`${text}T${time}Z`);
  // For a date that doesn't exist, such as 31 June, JavaScript would return a date in the next month.
  return !Number.isNaN(instant.getTime()) && instant.toISOString().startsWith(text)
    ? instant
    : null;
}

export const dateFields =
  ({ query, language: { m } }: DeskContext, { invalid }: Filters<unknown>) =>
  (name: 'since' | 'until', label: string): Html => {
    const words = m.activity;
    const problem = invalid[name];
    const error = problem && (problem === 'date' ? words.dateError : words.orderError);
    return html`<div>${field({ id: name, label, error, input: (attributes) => html`<input ${attributes} name="${name}" type="date" value="${problem === 'date' ? '' : query[name]}">` })}</div>`;
  };

export function readsFooter(
  count: number,
  nextCursor: string | null,
  { addressOf }: Filters<unknown>,
  { query, language: { m } }: DeskContext,
): Html {
  const older =
    nextCursor &&
    html`<a class="button" rel="next" href="${addressOf(readsPath, nextCursor)}">${count > 0 ? m.more : m.activity.lookFurther}</a>`;
  return html`<p class="actions">${query.cursor === undefined ? nothing : buttonLink(addressOf(), m.newest)}
${older}</p>`;
}
