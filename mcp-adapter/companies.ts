import { z } from 'zod';
import { companyAccesses, companyInput, InputError, listPortfolioInput, maxPageSize } from '#core';
import { presentCompany } from '#http';
import { companyId, instant, scopes } from './schemas.ts';
import { tool } from './tool.ts';

const company = z.object({
  id: companyId,
  name: z.string(),
  access: z.enum(companyAccesses).meta({
    description:
      'The access of the newest request: none, pending, approved or revoked. A declined or expired request counts as none.',
  }),
  accessRequestId: z
    .string()
    .nullable()
    .meta({ description: 'ID of the newest access request. Null without one.' }),
  grant: z
    .object({ approvedScopes: scopes, expiresAt: instant })
    .nullable()
    .meta({ description: 'The granted scopes. Null unless access is approved.' }),
});

const sentNames: Readonly<Record<string, string>> = { first: 'limit', after: 'cursor' };

/** Rethrows the refusal of an input under the name of the tool's argument. */
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
    output: z.object({
      companies: z.array(company),
      hasMore: z.boolean().meta({ description: 'True if there are more companies.' }),
      nextCursor: z.string().nullable().meta({ description: 'The cursor of the next page.' }),
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
    output: z.object({ company }),
    async call({ useCases, caller }, input) {
      return { company: presentCompany(await useCases.readPortfolioCompany(caller, input)) };
    },
  }),
];
