import type { Decimal } from './decimal.ts';

export const accountTypes = ['bank', 'credit', 'ledger'] as const;

export type AccountType = (typeof accountTypes)[number];

export interface Account {
  readonly id: string;
  readonly companyId: string;
  readonly provider: string;
  readonly name: string;
  readonly type: AccountType;
  /** ISO 4217 code. */
  readonly currency: string;
  /** Formatted for display. Programs should use `rawBalance`. */
  readonly balance: string;
  readonly rawBalance: Decimal;
  readonly lastFour: string | null;
  readonly lastSyncedAt: Date;
}
