import { loadData, type AccountType as TypeName } from '#core';
import { writeNodeId } from '../node-ids.ts';
import { builder } from './builder.ts';
import { valuesOf } from './enums.ts';
import { createResult } from './refusal.ts';

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
    accountId: t.exposeID('id', {
      description: 'The company’s own ID of the account. Unique within the company.',
    }),
    companyId: t.exposeID('companyId', { description: 'ID of the company.' }),
    provider: t.exposeString('provider', { description: 'The provider of the account.' }),
    name: t.exposeString('name', { description: 'Name of the account.' }),
    type: t.expose('type', { type: AccountType, description: 'The kind of account.' }),
    currency: t.exposeString('currency', { description: 'ISO 4217 code.' }),
    balance: t.exposeString('balance', { description: 'The balance, formatted for display.' }),
    rawBalance: t.expose('rawBalance', {
      type: 'Decimal',
      description: 'The exact balance.',
    }),
    lastFour: t.exposeString('lastFour', {
      nullable: true,
      description: 'The last four digits of the account number. Null without one.',
    }),
    lastSyncedAt: t.expose('lastSyncedAt', {
      type: 'DateTime',
      description: 'Time of the last sync.',
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
      'The financial accounts of the company. Needs the scope `accounts:read` and a live grant.',
    cost: { reads: 'gated' },
    resolve: ({ id: companyId }, _args, { useCases, caller }) =>
      useCases.readAccounts(caller, { companyId }).then(loadData),
  }),
}));
