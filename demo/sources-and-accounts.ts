import type { DemoCompany } from './companies.ts';
import { type Month, type MonthlyFigures, toCents } from './history.ts';

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

/** The balances of both bank accounts add up to the cash balance. */
export function accountRecords(company: DemoCompany, figures: MonthlyFigures, month: Month) {
  const { id, currency, systems } = company;
  const operating = toCents(figures.cash * operatingShare);
  const reserve = toCents(figures.cash - operating);
  const spentByCard = toCents(figures.burn * cardShareOfBurn);
  const ledger = toCents(figures.cash + figures.revenue);
  const accounts = [
    ['Operating account', 'bank', systems.bank, '4821', operating],
    ['Reserve account', 'bank', systems.bank, '9034', reserve],
    ['Company cards', 'credit', systems.card, '1177', -spentByCard],
    ['General ledger', 'ledger', systems.ledger, null, ledger],
  ] as const;
  return accounts.map(([name, type, provider, lastFour, balance]) => ({
    type: 'account',
    id: `acc_${id.slice(3)}_${name.toLowerCase().replaceAll(' ', '_')}`,
    company_id: id,
    name,
    account_type: type,
    provider,
    last_four: lastFour,
    raw_balance: balance,
    currency,
    last_synced_at: month.syncedAt,
  }));
}
