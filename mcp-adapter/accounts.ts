import { companyInput } from '#core';
import { presentAccount } from '#http';
import { tool } from './tool.ts';

export const accountTools = [
  tool({
    name: 'list_accounts',
    title: 'List financial accounts',
    description:
      'Lists the financial accounts of a company with their balances. Needs the scope accounts:read and a live grant.',
    scope: 'accounts:read',
    effect: 'reads',
    input: companyInput,
    call: async ({ useCases, caller, write }, input) => ({
      accounts: await useCases.readAccounts(caller, input).then(write.list(presentAccount)),
    }),
  }),
];
