import { accountTypes } from '#core';
import { writeNodeId } from '../node-ids.ts';
import { builder } from './builder.ts';
import { createEnum } from './enums.ts';
import { createResult } from './refusal.ts';

const AccountType = createEnum('AccountType', accountTypes);

builder.objectType('Account', {
  interfaces: ['Node'],
  isGated: true,
  isCacheable: true,
  fields: (t) => ({
    id: t.id({ resolve: ({ companyId, id }) => writeNodeId('account', companyId, id) }),
    accountId: t.exposeID('id'),
    companyId: t.exposeID('companyId'),
    provider: t.exposeString('provider'),
    name: t.exposeString('name'),
    type: t.expose('type', { type: AccountType }),
    currency: t.exposeString('currency'),
    balance: t.exposeString('balance'),
    rawBalance: t.expose('rawBalance', { type: 'Decimal' }),
    lastFour: t.exposeString('lastFour', { nullable: true }),
    lastSyncedAt: t.expose('lastSyncedAt', { type: 'DateTime' }),
  }),
});

builder.objectType('CompanyAccounts', {
  isGated: true,
  fields: (t) => ({
    accounts: t.field({ type: ['Account'], cost: { items: 5 }, resolve: (accounts) => accounts }),
  }),
});

const CompanyAccountsResult = createResult('CompanyAccounts');

builder.objectFields('Company', (t) => ({
  accounts: t.field({
    type: CompanyAccountsResult,
    nullable: true,
    cost: { reads: 'gated' },
    resolve: ({ id: companyId }, _args, { useCases, caller }) =>
      useCases.readAccounts(caller, { companyId }),
  }),
}));
