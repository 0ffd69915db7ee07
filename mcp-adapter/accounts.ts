import { z } from 'zod';
import { accountTypes, companyInput } from '#core';
import { presentAccount } from '#http';
import { companyId, currency, exactAmount, instant } from './schemas.ts';
import { tool } from './tool.ts';

const account = z.object({
  id: z.string(),
  companyId,
  provider: z.string(),
  name: z.string(),
  type: z.enum(accountTypes),
  currency,
  balance: z.string().meta({ description: 'Formatted for display. Calculate with rawBalance.' }),
  rawBalance: exactAmount,
  lastFour: z.string().nullable(),
  lastSyncedAt: instant,
});

export const accountTools = [
  tool({
    name: 'list_accounts',
    title: 'List financial accounts',
    description:
      'Lists the financial accounts of a company with their balances. Needs the scope accounts:read and a live grant.',
    scope: 'accounts:read',
    effect: 'reads',
    input: companyInput,
    output: z.object({ accounts: z.array(account) }),
    call: async ({ useCases, caller, write }, input) => ({
      accounts: await useCases.readAccounts(caller, input).then(write.list(presentAccount)),
    }),
  }),
];
