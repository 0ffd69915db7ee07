import { z } from 'zod';
import { companyAccesses } from '../consent/access-policy.ts';
import { AccessError } from '../errors.ts';
import { type Caller, requireScope } from '../identity/caller.ts';
import { maxPageSize, parseInput } from '../input.ts';
import type { Ports } from '../ports.ts';
import { isStorable } from '../text.ts';
import { isCompanyId, type PortfolioCompany } from './company.ts';
import {
  type PortfolioCursor,
  type PortfolioOrder,
  portfolioOrders,
  readPortfolioCursor,
  writePortfolioCursor,
} from './portfolio-cursor.ts';
import type { ListedEntry } from './ports.ts';
import { presentEntry } from './read-portfolio.ts';

/** How many companies a page has when nobody says. */
const usualPageSize = 100;

const size = z
  .int('invalid_parameter')
  .min(0, 'invalid_parameter')
  .max(maxPageSize, 'invalid_parameter');
const text = z.string('invalid_parameter');
const maxSearchLength = 200;

const pagePortfolioInput = z.strictObject(
  {
    /** So many from the beginning, or after a place; not together with `last`. */
    first: size.nullish(),
    after: text.nullish(),
    /** So many up to the end, or to a place. */
    last: size.nullish(),
    before: text.nullish(),
    ids: z.array(text, 'invalid_parameter').max(maxPageSize, 'invalid_parameter').nullish(),
    access: z.enum(companyAccesses, 'invalid_parameter').nullish(),
    /** A part of the name, in capital letters or small ones. */
    search: text
      .max(maxSearchLength, 'invalid_parameter')
      .refine(isStorable, 'invalid_parameter')
      .transform((part) => part.trim())
      .nullish(),
    order: z.enum(portfolioOrders, 'invalid_parameter').nullish(),
    descending: z.boolean('invalid_parameter').nullish(),
  },
  'invalid_parameter',
);

export type PagePortfolioInput = z.input<typeof pagePortfolioInput>;

/** A company in a list, and its place there, from which a page can go on. */
export interface PortfolioEdge {
  readonly cursor: string;
  readonly company: PortfolioCompany;
}

export interface PortfolioPage {
  readonly edges: readonly PortfolioEdge[];
  readonly hasNextPage: boolean;
  readonly hasPreviousPage: boolean;
}

/** How many companies a page of this input can have. */
export function pageSizeOf({ first, last, ids }: PagePortfolioInput): number {
  return Math.min(first ?? last ?? usualPageSize, ids?.length ?? maxPageSize);
}

/**
 * A page of the caller's portfolio, each company with what the investor may see of it now. A place stays where it is
 * while companies come and go.
 *
 * @throws InputError, and AccessError `insufficient_scope`
 */
export const pagePortfolio =
  ({ clock, directory }: Ports) =>
  async (caller: Caller, input: PagePortfolioInput = {}): Promise<PortfolioPage> => {
    const parsed = parseInput(pagePortfolioInput, input);
    const { first, last, ids, access, search } = parsed;
    if (first != null && last != null) {
      const message = 'A page is the first so many or the last so many: leave first or last out.';
      throw new AccessError('invalid_parameter', { message });
    }
    const order = parsed.order ?? 'name';
    const descending = parsed.descending ?? false;
    const after = readPortfolioCursor(parsed.after, order, 'after');
    const before = readPortfolioCursor(parsed.before, order, 'before');
    requireScope(caller, 'companies:read');
    const isFromEnd = last != null;
    const limit = first ?? last ?? usualPageSize;
    const now = clock.now();
    const found = await directory.pagePortfolio({
      investorId: caller.investorId,
      order,
      above: descending ? before : after,
      below: descending ? after : before,
      isDownward: descending !== isFromEnd,
      ids: ids == null ? null : [...new Set(ids.filter(isCompanyId))],
      access: access ?? null,
      search: search || null,
      now,
      limit: limit + 1,
    });
    const entries = found.slice(0, limit);
    const hasMore = found.length > limit;
    return {
      edges: (isFromEnd ? entries.toReversed() : entries).map((entry) => ({
        // Most readers of a page look at none of its cursors.
        get cursor() {
          return writePortfolioCursor(order, cursorOf(entry, order));
        },
        company: presentEntry(entry, now),
      })),
      hasNextPage: isFromEnd ? before !== null : hasMore,
      hasPreviousPage: isFromEnd ? hasMore : after !== null,
    };
  };

const cursorOf = ({ company, addedAt }: ListedEntry, order: PortfolioOrder): PortfolioCursor => ({
  value: order === 'name' ? company.name : addedAt.toISOString(),
  id: company.id,
});
