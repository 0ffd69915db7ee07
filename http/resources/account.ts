import { z } from 'zod';
import { type Account, accountTypes } from '#core';
import { companyId, currency, instant } from './fields.ts';

export const accountResource = z
  .object({
    id: z.string().meta({
      description: 'The company’s own ID of the account. Unique within the company.',
    }),
    companyId,
    provider: z.string().meta({ description: 'The provider of the account.' }),
    name: z.string().meta({ description: 'Name of the account.' }),
    type: z.enum(accountTypes).meta({ description: 'The kind of account.' }),
    currency,
    balance: z.string().meta({ description: 'The balance, formatted for display.' }),
    rawBalance: z.string().meta({
      description: 'The exact balance: a plain decimal with every digit of the source.',
    }),
    lastFour: z.string().nullable().meta({
      description: 'The last four digits of the account number. Null if none exists.',
    }),
    lastSyncedAt: instant.meta({ description: 'Time of the last sync, in RFC 3339.' }),
  })
  .meta({ description: 'A financial account of a company.' });

export function presentAccount(account: Account): z.output<typeof accountResource> {
  return {
    id: account.id,
    companyId: account.companyId,
    provider: account.provider,
    name: account.name,
    type: account.type,
    currency: account.currency,
    balance: account.balance,
    rawBalance: account.rawBalance,
    lastFour: account.lastFour,
    lastSyncedAt: account.lastSyncedAt.toISOString(),
  };
}
