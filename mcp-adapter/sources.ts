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
      'connected if it works, stale if the expected sync is overdue, failed if it no longer works.',
  }),
  accountName: z.string(),
  lastSyncedAt: instant,
});

export const sourceTools = [
  tool({
    name: 'list_sources',
    title: 'List data sources',
    description:
      'Lists the connected data sources of a company with their sync status. Needs the scope sources:read and a live grant.',
    scope: 'sources:read',
    effect: 'reads',
    input: companyInput,
    output: z.object({ sources: z.array(source) }),
    call: async ({ useCases, caller, write }, input) => ({
      sources: await useCases.readSources(caller, input).then(write.list(presentSource)),
    }),
  }),
];
