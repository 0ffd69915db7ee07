import type { CompanyAccess, Metric, PortfolioCompany } from '#core';
import type { InvestorContext } from '../context.ts';
import { type Html, html, nothing } from '../html.ts';
import type { Messages } from '../messages/index.ts';

/** What a company's newest answer amounts to. */
export const accessBadge = (access: CompanyAccess, { figures }: Messages): Html =>
  html`<span class="badge ${access === 'none' ? nothing : access}">${figures.portfolio.accesses[access]}</span>`;

/** Whether the company lets the investor read its metrics now. */
export const sharesMetrics = ({ grant }: PortfolioCompany): boolean =>
  grant?.approvedScopes.includes('metrics:read') === true;

/**
 * How much the last value is above or below the one before, as a part of that; null where there is none before it, and
 * where the two cannot be compared: they are of two currencies, or go below nought, or begin there.
 */
export function changeOf(values: readonly Metric[]): number | null {
  const last = values.at(-1);
  const before = values.at(-2);
  if (last === undefined || before === undefined || last.currency !== before.currency) return null;
  const base = Number(before.rawValue);
  const now = Number(last.rawValue);
  return base > 0 && now >= 0 ? (now - base) / base : null;
}

/** The same, behind the value that it is of. */
export function changeMark(
  values: readonly Metric[],
  { language }: Pick<InvestorContext, 'language'>,
): Html {
  const change = changeOf(values);
  return change === null ? html`` : html` · <bdi>${language.format.change(change)}</bdi>`;
}
