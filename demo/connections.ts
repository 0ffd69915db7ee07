import type { DemoCompany } from './companies.ts';
import { type MonthlyFigures, toCents } from './history.ts';
import type { Month } from './month.ts';

/** The connected systems of a company, as lines of an import have them. */
export function sourceRecords({ id, systems, disconnected }: DemoCompany, month: Month) {
  const connections: readonly (readonly [provider: string | null, accountName: string])[] = [
    [systems.bank, 'Operating account'],
    [systems.bank, 'Reserve account'],
    [systems.card, 'Company cards'],
    [systems.ledger, 'General ledger'],
    [systems.billing, 'Subscriptions'],
    [systems.payroll, 'Payroll'],
  ];
  return connections.flatMap(([provider, accountName]) =>
    provider === null
      ? []
      : {
          type: 'source',
          company_id: id,
          provider,
          status: provider === disconnected ? 'reauthorization_required' : 'connected',
          account_name: accountName,
          last_synced_at: month.syncedAt,
        },
  );
}

const operatingShare = 0.35;
const cardShareOfBurn = 0.08;

/** The accounts of a company. Its two bank accounts hold exactly its cash balance. */
export function accountRecords(company: DemoCompany, figures: MonthlyFigures, month: Month) {
  const { id, currency, systems } = company;
  const operating = toCents(figures.cash * operatingShare);
  const accounts = [
    {
      name: 'Operating account',
      account_type: 'bank',
      provider: systems.bank,
      last_four: '4821',
      raw_balance: operating,
    },
    {
      name: 'Reserve account',
      account_type: 'bank',
      provider: systems.bank,
      last_four: '9034',
      raw_balance: toCents(figures.cash - operating),
    },
    {
      name: 'Company cards',
      account_type: 'credit',
      provider: systems.card,
      last_four: '1177',
      raw_balance: -toCents(figures.burn * cardShareOfBurn),
    },
    {
      name: 'General ledger',
      account_type: 'ledger',
      provider: systems.ledger,
      last_four: null,
      raw_balance: toCents(figures.cash + figures.revenue),
    },
  ];
  return accounts.map((account) => ({
    type: 'account',
    id: `acc_${id.slice(3)}_${account.name.toLowerCase().replaceAll(' ', '_')}`,
    company_id: id,
    ...account,
    currency,
    last_synced_at: month.syncedAt,
  }));
}
