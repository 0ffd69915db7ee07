import { loadData, type AccountType as TypeName } from '#core';
import { writeNodeId } from '../node-ids.ts';
import { builder } from './builder.ts';
import { valuesOf } from './enums.ts';
import { createResult } from './refusal.ts';

const AccountType = builder.enumType('AccountType', {
  description: 'What kind of account it is.',
  values: valuesOf<TypeName>({
    bank: 'An account at a bank.',
    credit: 'A credit line or card.',
    ledger: 'An account of the books.',
  }),
});

builder.objectType('Account', {
  description: 'A financial account of a company.',
  interfaces: ['Node'],
  isGated: true,
  isCacheable: true,
  fields: (t) => ({
    id: t.id({
      description: 'Tells the account of this company from everything else.',
      resolve: ({ companyId, id }) => writeNodeId('account', companyId, id),
    }),
    accountId: t.exposeID('id', {
      description: 'Id of the account as the company has it; another company may have the same.',
    }),
    companyId: t.exposeID('companyId', { description: 'Id of the company.' }),
    provider: t.exposeString('provider', { description: 'Where the account is held.' }),
    name: t.exposeString('name', { description: 'Name of the account.' }),
    type: t.expose('type', { type: AccountType, description: 'What kind of account it is.' }),
    currency: t.exposeString('currency', { description: 'ISO 4217 code.' }),
    balance: t.exposeString('balance', { description: 'The balance, for people.' }),
    rawBalance: t.expose('rawBalance', {
      type: 'Decimal',
      description: 'The balance, for programs.',
    }),
    lastFour: t.exposeString('lastFour', {
      nullable: true,
      description: 'The last four digits of its number; null when it has none.',
    }),
    lastSyncedAt: t.expose('lastSyncedAt', {
      type: 'DateTime',
      description: 'When it was last synced.',
    }),
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
      'The financial accounts of the company. Needs the scope `accounts:read` and a grant of the company.',
    cost: { reads: 'gated' },
    resolve: ({ id: companyId }, _args, { useCases, caller }) =>
      useCases.readAccounts(caller, { companyId }).then(loadData),
  }),
}));
