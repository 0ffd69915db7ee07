import { z } from 'zod';
import type { Account } from '#core';
import { accountResource, presentAccount as present, snakeCaseKeys } from '#http';
import { listSchema } from './list.ts';
import { presentAmount } from './schemas.ts';

const { id, last_four, last_synced_at, ...fields } = snakeCaseKeys(accountResource.shape);

export const accountSchema = z
  .object({
    id,
    object: z.literal('account'),
    ...fields,
    raw_balance: z.number().meta({ description: 'The exact number, for programs.' }),
    raw_balance_text: z.string().meta({
      description: 'The same number as text: a plain decimal with every digit.',
    }),
    last_four,
    last_synced_at,
  })
  .meta({ ...accountResource.meta(), id: 'Account' });

export function presentAccount(account: Account): z.output<typeof accountSchema> {
  const { id, last_four, last_synced_at, ...fields } = snakeCaseKeys(present(account));
  return {
    id,
    object: 'account',
    ...fields,
    raw_balance: presentAmount(account.rawBalance),
    raw_balance_text: account.rawBalance,
    last_four,
    last_synced_at,
  };
}

export const accountExample: z.output<typeof accountSchema> = {
  id: 'acc_5d1c0a7e9b3f4c2d8e6a1b0f',
  object: 'account',
  company_id: 'co_harbor',
  provider: 'Mercury',
  name: 'Operating account',
  type: 'bank',
  currency: 'USD',
  balance: '$2,904,118.20',
  raw_balance: 2904118.2,
  raw_balance_text: '2904118.2',
  last_four: '4821',
  last_synced_at: '2026-11-01T04:00:00.000Z',
};

export const accountListSchema = listSchema(accountSchema, 'AccountList', 'accounts');
