import { z } from 'zod';
import { companyAccesses, companyInput, listPortfolioInput } from '#core';
import { presentCompany } from '#http';
import { companyId, instant, scopes } from './schemas.ts';
import { tool } from './tool.ts';

const company = z.object({
  id: companyId,
  name: z.string(),
  access: z.enum(companyAccesses).meta({
    description:
      'From the newest access request: none, pending, approved or revoked. A declined or expired one counts as none.',
  }),
  grant: z
    .object({ approvedScopes: scopes, expiresAt: instant })
    .nullable()
    .meta({ description: 'What is granted; null unless access is approved.' }),
});

export const companyTools = [
  tool({
    name: 'list_companies',
    title: 'List companies',
    description:
      'The companies of your portfolio, by name, each with the access that you have to its data now. Needs no grant. Begin here: every other tool takes the id of a company from this list.',
    scope: 'companies:read',
    effect: 'reads',
    input: listPortfolioInput,
    output: z.object({ companies: z.array(company) }),
    async call({ useCases, caller }, input) {
      const companies = await useCases.listPortfolio(caller, input);
      return { companies: companies.map(presentCompany) };
    },
  }),
  tool({
    name: 'get_company',
    title: 'Get a company',
    description: 'One company of your portfolio, with the access that you have now.',
    scope: 'companies:read',
    effect: 'reads',
    input: companyInput,
    output: z.object({ company }),
    async call({ useCases, caller }, input) {
      return { company: presentCompany(await useCases.readPortfolioCompany(caller, input)) };
    },
  }),
];
