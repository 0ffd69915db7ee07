import { companyInput } from '#core';
import { presentSource } from '#http';
import { tool } from './tool.ts';

export const sourceTools = [
  tool({
    name: 'list_sources',
    title: 'List data sources',
    description:
      'Lists the connected data sources of a company with their sync status. Needs the scope sources:read and a live grant.',
    scope: 'sources:read',
    effect: 'reads',
    input: companyInput,
    call: async ({ useCases, caller, write }, input) => ({
      sources: await useCases.readSources(caller, input).then(write.list(presentSource)),
    }),
  }),
];
