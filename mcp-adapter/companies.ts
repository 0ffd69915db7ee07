import { z } from 'zod';
import { companyInput, InputError, listPortfolioInput, maxPageSize } from '#core';
import { presentCompany } from '#http';
import { tool } from './tool.ts';

const sentNames: Readonly<Record<string, string>> = { first: 'limit', after: 'cursor' };

/** The error names the argument of the tool, not the field of the use case. */
function nameAsSent(error: unknown): never {
  throw error instanceof InputError
    ? error.withName(sentNames[error.parameter] ?? error.parameter)
    : error;
}

export const companyTools = [
  tool({
    name: 'list_companies',
    title: 'List companies',
    description:
      'Lists a page of the companies in your portfolio by name, each with your present access to its data. Needs no grant. Start here: every other tool takes a company id from this list. While hasMore is true, call again with nextCursor as cursor, or search for a name.',
    scope: 'companies:read',
    effect: 'reads',
    input: listPortfolioInput.extend({
      search: z.string().optional(),
      limit: z.int().min(1).max(maxPageSize).optional(),
      cursor: z.string().nullish(),
    }),
    async call({ useCases, caller }, { limit, cursor, ...filter }) {
      const page = { ...filter, first: limit, after: cursor };
      const { edges, hasNextPage } = await useCases.pagePortfolio(caller, page).catch(nameAsSent);
      return {
        companies: edges.map((edge) => presentCompany(edge.company)),
        hasMore: hasNextPage,
        nextCursor: hasNextPage ? (edges.at(-1)?.cursor ?? null) : null,
      };
    },
  }),
  tool({
    name: 'get_company',
    title: 'Get a company',
    description: 'Returns one company of your portfolio with your present access.',
    scope: 'companies:read',
    effect: 'reads',
    input: companyInput,
    async call({ useCases, caller }, input) {
      return { company: presentCompany(await useCases.readPortfolioCompany(caller, input)) };
    },
  }),
];
