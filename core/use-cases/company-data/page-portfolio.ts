import { z } from 'zod';
import { isCompanyId, type PortfolioCompany } from '../../model/company-data/company.ts';
import {
  noEnd,
  type PortfolioCursor,
  type PortfolioOrder,
  portfolioOrders,
  readPortfolioCursor,
  writePortfolioCursor,
} from '../../model/company-data/portfolio-cursor.ts';
import {
  type ConnectionPage,
  connectionInput,
  connectionSizeOf,
  requestedPageOf,
  toConnectionPage,
} from '../../model/connection.ts';
import { companyAccesses } from '../../model/consent/access-policy.ts';
import { type InvestorCaller, requireScope } from '../../model/identity/caller.ts';
import { maxPageSize, parseInput } from '../../model/input.ts';
import { isStorable } from '../../model/text.ts';
import type { ListedEntry } from '../../ports/company-data.ts';
import type { Ports } from '../../ports/index.ts';
import { presentEntry } from './read-portfolio.ts';

const text = z.string();
const maxSearchLength = 200;

const pagePortfolioInput = connectionInput.extend({
  ids: z.array(text).max(maxPageSize).nullish(),
  access: z.enum(companyAccesses).nullish(),
  /** A part of the name. Case is ignored. */
  search: text
    .max(maxSearchLength)
    .refine(isStorable)
    .transform((part) => part.trim())
    .nullish(),
  order: z.enum(portfolioOrders).nullish(),
  descending: z.boolean().nullish(),
});

export type PagePortfolioInput = z.input<typeof pagePortfolioInput>;

export interface PortfolioEdge {
  readonly cursor: string;
  readonly company: PortfolioCompany;
}

export type PortfolioPage = ConnectionPage<PortfolioEdge>;

export function pageSizeOf({ ids, ...page }: PagePortfolioInput): number {
  return Math.min(connectionSizeOf(page), ids?.length ?? maxPageSize);
}

/**
 * Returns a page of the caller's portfolio. Cursors stay valid when companies are added or removed.
 *
 * @throws AccessError `insufficient_scope`
 */
export const pagePortfolio =
  ({ clock, directory }: Ports) =>
  async (caller: InvestorCaller, input: PagePortfolioInput = {}): Promise<PortfolioPage> => {
    const parsed = parseInput(pagePortfolioInput, input);
    const { ids, access, search } = parsed;
    const page = requestedPageOf(parsed);
    const order = parsed.order ?? 'name';
    const descending = parsed.descending ?? false;
    const after = readPortfolioCursor(parsed.after, order, 'after');
    const before = readPortfolioCursor(parsed.before, order, 'before');
    requireScope(caller, 'companies:read');
    const now = clock.now();
    const filter = {
      investorId: caller.investorId,
      ids: ids == null ? null : [...new Set(ids.filter(isCompanyId))],
      access: access ?? null,
      search: search || null,
      now,
    };
    const found = await directory.pagePortfolio({
      ...filter,
      order,
      above: descending ? before : after,
      below: descending ? after : before,
      isDownward: descending !== page.isFromEnd,
      limit: page.limit + 1,
    });
    const toEdge = (entry: ListedEntry): PortfolioEdge => ({
      // The cursor is computed on demand, because most callers don't use it.
      get cursor() {
        return writePortfolioCursor(order, cursorOf(entry, order, now));
      },
      company: presentEntry(entry, now),
    });
    return toConnectionPage(found, parsed, page, toEdge, () => directory.countPortfolio(filter));
  };

function cursorOf(entry: ListedEntry, order: PortfolioOrder, now: Date): PortfolioCursor {
  const { id, name } = entry.company;
  switch (order) {
    case 'name':
      return { value: name, id };
    case 'addedAt':
      return { value: entry.addedAt.toISOString(), id };
    case 'endsAt': {
      const { grant } = presentEntry(entry, now);
      return { value: (grant?.expiresAt ?? noEnd).toISOString(), id };
    }
  }
}
