import { z } from 'zod';
import { companyInput } from '#core';
import { presentSource } from '#http';
import { companyId, instant } from './schemas.ts';
import { tool } from './tool.ts';

const source = z.object({
  companyId,
  provider: z.string(),
  status: z.string().meta({
    description:
      'connected when all is well, stale when it was not synced when it was expected, failed when it does not work any more.',
  }),
  accountName: z.string(),
  lastSyncedAt: instant,
});

export const sourceTools = [
  tool({
    name: 'list_sources',
    title: 'List data sources',
    description:
      'The data sources that a company has connected, and how their synchronisation goes. Needs the scope sources:read and a live grant of the company.',
    scope: 'sources:read',
    effect: 'reads',
    input: companyInput,
    output: z.object({ sources: z.array(source) }),
    call: async ({ useCases, caller, write }, input) => ({
      sources: await useCases.readSources(caller, input).then(write.list(presentSource)),
    }),
  }),
];
