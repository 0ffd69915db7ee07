import type { Account as AccountOfCore, AccountType, CompanyInput } from '#core';
import { procedure, typed } from './procedures.ts';

/** A financial account of a company. */
export interface Account {
  readonly id: string;
  readonly companyId: string;
  readonly provider: string;
  readonly name: string;
  readonly type: AccountType;
  /** ISO 4217 code. */
  readonly currency: string;
  /** For people; rawBalance is for programs. */
  readonly balance: string;
  /** A plain decimal number with every digit of the source. */
  readonly rawBalance: string;
  readonly lastFour: string | null;
  /** RFC 3339. */
  readonly lastSyncedAt: string;
}

function presentAccount(account: AccountOfCore): Account {
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

export const accountProcedures = {
  /** The financial accounts of a company. Needs the scope `accounts:read` and a live grant. */
  list: procedure
    .input(typed<CompanyInput>)
    .query(({ ctx: { useCases, caller, write }, input }) =>
      useCases.readAccounts(caller, input, write.list(presentAccount)),
    ),
};
