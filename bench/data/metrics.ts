/** The twelve metrics that each company has, sorted by key. */
export const metricDefinitions = [
  ['accounts_payable', 'Accounts payable', 'balance', 'USD'],
  ['accounts_receivable', 'Accounts receivable', 'balance', 'USD'],
  ['arr', 'Annual recurring revenue', 'revenue', 'USD'],
  ['burn_rate', 'Net burn rate', 'liquidity', 'USD'],
  ['cash_balance', 'Cash balance', 'liquidity', 'USD'],
  ['churn', 'Customers lost', 'customers', null],
  ['customers', 'Customers', 'customers', null],
  ['gross_margin', 'Gross margin', 'profit', 'USD'],
  ['headcount', 'Headcount', 'team', null],
  ['mrr', 'Monthly recurring revenue', 'revenue', 'USD'],
  ['net_income', 'Net income', 'profit', 'USD'],
  ['runway', 'Runway in months', 'liquidity', null],
] as const;

/** The metric with long histories: some companies have ten years of it, with a value for each working day. */
export const historyKey = 'cash_balance';
export const historyPoints = 2_520;
