import { defineEntity, p } from '@mikro-orm/core';
import type { AccountType } from '#core';

export const AccountEntity = defineEntity({
  name: 'Account',
  properties: {
    companyId: p.text().primary(),
    id: p.text().primary(),
    provider: p.text(),
    name: p.text(),
    type: p.text().$type<AccountType>(),
    currency: p.text(),
    balance: p.text(),
    rawBalance: p.decimal('string').columnType('numeric'),
    lastFour: p.text().nullable(),
    lastSyncedAt: p.datetime(3),
  },
});
