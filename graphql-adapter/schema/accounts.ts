import { loadData, type AccountType as TypeName } from '#core';
import { accountResource } from '#http';
import { writeNodeId } from '../node-ids.ts';
import { builder } from './builder.ts';
import { describe } from './describe.ts';
import { valuesOf } from './enums.ts';
import { createResult } from './refusal.ts';

const account = describe(accountResource);

const AccountType = builder.enumType('AccountType', {
  description: 'The kind of account.',
  values: valuesOf<TypeName>({
    bank: 'An account at a bank.',
    credit: 'A credit line or card.',
    ledger: 'An account in the general ledger.',
  }),
});

builder.objectType('Account', {
  description: 'A financial account of a company.',
  interfaces: ['Node'],
  isGated: true,
  isCacheable: true,
  fields: (t) => ({
    id: t.id({
      description: 'Global ID of the account, for `node`.',
      resolve: ({ companyId, id }) => writeNodeId('account', companyId, id),
    }),
    accountId: t.exposeID('id', { description: account.id }),
    companyId: t.exposeID('companyId', { description: account.companyId }),
    provider: t.exposeString('provider', { description: account.provider }),
    name: t.exposeString('name', { description: account.name }),
    type: t.expose('type', { type: AccountType, description: account.type }),
    currency: t.exposeString('currency', { description: account.currency }),
    balance: t.exposeString('balance', { description: account.balance }),
    rawBalance: t.expose('rawBalance', { type: 'Decimal', description: account.rawBalance }),
    lastFour: t.exposeString('lastFour', { nullable: true, description: account.lastFour }),
    lastSyncedAt: t.expose('lastSyncedAt', { type: 'DateTime', description: account.lastSyncedAt }),
  }),
});

builder.objectType('CompanyAccounts', {
  description: 'The financial accounts of a company.',
  isGated: true,
  fields: (t) => ({
    accounts: t.field({
      type: ['Account'],
      description: 'Each financial account.',
      cost: { items: 5 },
      resolve: (accounts) => accounts,
    }),
  }),
});

const CompanyAccountsResult = createResult(
  'CompanyAccounts',
  'The financial accounts of a company',
);

builder.objectFields('Company', (t) => ({
  accounts: t.field({
    type: CompanyAccountsResult,
    nullable: true,
    description:
      'The financial accounts of the company. Needs the scope `accounts:read` and a live grant.',
    cost: { reads: 'gated' },
    resolve: ({ id: companyId }, _args, { useCases, caller }) =>
      useCases.readAccounts(caller, { companyId }).then(loadData),
  }),
}));
