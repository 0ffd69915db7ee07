/** A row of your tap. Its numbers keep all digits of the tap's output, so pass them on unchanged. */
interface Balance {
  readonly account: string;
  readonly as_of: string;
  readonly balance: { readonly amount: unknown; readonly currency: string };
  readonly updated_at: string;
}

/** A record for `POST /company/v1/data`: a metric, a source or an account. */
export type DataRecord = Readonly<Record<string, unknown>>;

const metrics: Readonly<Record<string, string>> = { 1800: 'cash_operating', 1810: 'cash_savings' };

/** Converts a row to the records to push. Replace these two streams with the streams of your tap. */
export const streams: Readonly<Record<string, (row: never) => DataRecord[]>> = {
  balances({ account, as_of, balance, updated_at }: Balance) {
    const key = metrics[account];
    if (key === undefined) return [];
    const source = { system: 'DATEV', method: 'api', last_synced: updated_at };
    const { amount: raw_value, currency } = balance;
    return [{ type: 'metric', key, period: as_of, raw_value, currency, source }];
  },
  employees: () => [],
};
