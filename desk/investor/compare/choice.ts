import { isMetricKey, periodInput } from '#core';
import { withQuery } from '../../address.ts';
import type { InvestorContext } from '../../context.ts';
import { maxLines } from '../../plot/lines.ts';
import { allOf } from '../portfolio/view.ts';

export const comparePath = '/desk/compare';

/**
 * With `amount`, each currency has its own plot. With `index`, all companies share one plot, and each company's first
 * value is 100.
 */
export const scales = ['amount', 'index'] as const;

type Scale = (typeof scales)[number];

export interface Choice {
  readonly key: string | undefined;
  readonly companyIds: readonly string[];
  readonly from: string | undefined;
  readonly to: string | undefined;
  readonly scale: Scale;
  readonly search: string | undefined;
  /** True if the address names more companies than a plot can show. */
  readonly hasTooMany: boolean;
}

const isDay = (text: string | undefined): text is string => periodInput.safeParse(text).success;

/** Ignores invalid parameters. */
export function readChoice(context: InvestorContext): Choice {
  const { metric, from, to, search, scale } = context.query;
  const companyIds = [...new Set(allOf(context, 'company'))];
  return {
    key: metric !== undefined && isMetricKey(metric) ? metric : undefined,
    companyIds: companyIds.slice(0, maxLines),
    from: isDay(from) ? from : undefined,
    to: isDay(to) ? to : undefined,
    scale: scales.find((each) => each === scale) ?? 'amount',
    search: search?.trim() || undefined,
    hasTooMany: companyIds.length > maxLines,
  };
}

export const pathOf = (
  { key, companyIds, from, to, scale }: Partial<Choice>,
  path = comparePath,
): string =>
  withQuery(path, {
    ...{ metric: key, from, to },
    scale: scale === 'index' ? scale : undefined,
    company: companyIds,
  });
