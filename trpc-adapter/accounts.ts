import { type Account as AccountOfCore, type AccountType, companyInput } from '#core';
import { presentAccount } from '#http';
import { procedure, showInput } from './procedures.ts';

/** A financial account of a company. */
export interface Account {
  /** The company’s own ID of the account. Unique within the company. */
  readonly id: string;
  /** ID of the company. */
  readonly companyId: string;
  /** The provider of the account. */
  readonly provider: string;
  /** Name of the account. */
  readonly name: string;
  /** The kind of account. */
  readonly type: AccountType;
  /** ISO 4217 code. */
  readonly currency: string;
  /** The balance, formatted for display. */
  readonly balance: string;
  /** The exact balance: a plain decimal with every digit of the source. */
  readonly rawBalance: string;
  /** The last four digits of the account number. Null if none exists. */
  readonly lastFour: string | null;
  /** Time of the last sync, in RFC 3339. */
  readonly lastSyncedAt: string;
}

export const accountProcedures = {
  /** Returns the financial accounts of a company. Needs the scope `accounts:read` and a live grant. */
  list: procedure
    .input(showInput(companyInput))
    .query(({ ctx: { useCases, caller, write }, input }) =>
      useCases.readAccounts(caller, input).then(write.list<AccountOfCore, Account>(presentAccount)),
    ),
};
