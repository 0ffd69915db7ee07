import type { Metric, PortfolioCompany } from '#core';
import type { InvestorContext } from '../context.ts';
import { type Html, html, nothing } from '../html.ts';
import type { Messages } from '../messages/index.ts';

export const accessBadge = (
  { access, isAccessPaused }: PortfolioCompany,
  { figures, limits }: Messages,
): Html =>
  isAccessPaused
    ? html`<span class="badge pending">${limits.paused}</span>`
    : html`<span class="badge ${access === 'none' ? nothing : access}">${figures.portfolio.accesses[access]}</span>`;

export const sharesMetrics = ({ grant, isAccessPaused }: PortfolioCompany): boolean =>
  !isAccessPaused && grant?.approvedScopes.includes('metrics:read') === true;

export const isOneOff = ({ grant }: PortfolioCompany): boolean => grant?.terms?.use === 'once';

/**
 * True if pages with several companies may read the metrics. The first read of one-off access starts its last 24 hours,
 * so only the company's own page reads those metrics.
 */
export const isReadWithOthers = (company: PortfolioCompany): boolean =>
  sharesMetrics(company) && !isOneOff(company);

/**
 * Returns the relative change. Returns null if the previous value is missing or isn't positive, if the currencies
 * differ, or if the last value is negative.
 */
export function changeOf(values: readonly Metric[]): number | null {
  const last = values.at(-1);
  const before = values.at(-2);
  if (last === undefined || before === undefined || last.currency !== before.currency) return null;
  const base = Number(before.rawValue);
  const now = Number(last.rawValue);
  return base > 0 && now >= 0 ? (now - base) / base : null;
}

export function changeMark(
  values: readonly Metric[],
  { language }: Pick<InvestorContext, 'language'>,
): Html {
  const change = changeOf(values);
  return change === null ? html`` : html` · <bdi>${language.format.change(change)}</bdi>`;
}
