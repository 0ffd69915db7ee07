import { type Account as AccountOfCore, type AccountType, companyInput } from '#core';
import { presentAccount } from '#http';
import { procedure, shown } from './procedures.ts';

/** A financial account of a company. */
export interface Account {
  readonly id: string;
  readonly companyId: string;
  readonly provider: string;
  readonly name: string;
  readonly type: AccountType;
  /** ISO 4217 code. */
  readonly currency: string;
  /** Formatted for display. Programs read rawBalance. */
  readonly balance: string;
  /** A plain decimal number with every digit of the source. */
  readonly rawBalance: string;
  readonly lastFour: string | null;
  /** RFC 3339. */
  readonly lastSyncedAt: string;
}

export const accountProcedures = {
  /** Returns the financial accounts of a company. Needs the scope `accounts:read` and a live grant. */
  list: procedure
    .input(shown(companyInput))
    .query(({ ctx: { useCases, caller, write }, input }) =>
      useCases.readAccounts(caller, input).then(write.list<AccountOfCore, Account>(presentAccount)),
    ),
};
