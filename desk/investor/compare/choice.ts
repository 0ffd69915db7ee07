import { isMetricKey } from '#core';
import { withQuery } from '../../address.ts';
import type { InvestorContext } from '../../context.ts';
import { maxLines } from '../../plot/lines.ts';
import { allOf } from '../portfolio/filters.ts';

export const comparePath = '/desk/compare';

/** What is compared, as the address says it. */
export interface Choice {
  readonly key: string | undefined;
  /** In the order in which they were chosen. */
  readonly companyIds: readonly string[];
  /** The first and the last day of the periods, both included. */
  readonly from: string | undefined;
  readonly to: string | undefined;
  /** What is looked for in the names of the portfolio. */
  readonly search: string | undefined;
}

const isDay = (text: string | undefined): text is string =>
  text !== undefined && /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text));

/** What the address cannot mean counts as not said. */
export function readChoice(context: InvestorContext): Choice {
  const { metric, from, to, search } = context.query;
  return {
    key: metric !== undefined && isMetricKey(metric) ? metric : undefined,
    companyIds: [...new Set(allOf(context, 'company'))].slice(0, maxLines),
    from: isDay(from) ? from : undefined,
    to: isDay(to) ? to : undefined,
    search: search?.trim() || undefined,
  };
}

/** The address of a choice: of the page, or of the file of its numbers. */
export const pathOf = (
  { key, companyIds, from, to }: Partial<Choice>,
  path = comparePath,
): string => withQuery(path, { metric: key, from, to, company: companyIds });
