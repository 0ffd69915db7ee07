import type { Composition } from '../../../gateway/compose.ts';

/** An investor and a company that answers to nobody else, with the secrets of both. */
export interface Pair {
  readonly companyId: string;
  readonly key: string;
  readonly companyKey: string;
}

export async function makePair({ operatorUseCases: operator }: Composition): Promise<Pair> {
  const { id: investorId } = await operator.createInvestor({ name: 'I', environment: 'live' });
  const { id: companyId } = await operator.createCompany({ name: 'C', environment: 'live' });
  await operator.addToPortfolio({ investorId, companyId });
  const { secret: key } = await operator.createApiKey({
    investorId,
    scopes: ['companies:read', 'metrics:read'],
    rateLimit: 1_000_000,
  });
  const { secret: companyKey } = await operator.createCompanyKey({ companyId });
  return { companyId, key, companyKey };
}

const keys = ['arr', 'burn', 'cash_balance', 'headcount', 'mrr', 'revenue'];

/** Changes every value of the company, by an import as the command line makes it. Answers how many were signed. */
export async function importValues(
  { operatorUseCases: operator }: Composition,
  { companyId }: Pair,
  round: number,
): Promise<number> {
  async function* lines() {
    for (const key of keys) {
      yield JSON.stringify({
        type: 'metric',
        company_id: companyId,
        key,
        period: '2026-10-31',
        raw_value: round,
        source: { system: 'Ledger', method: 'api', last_synced: new Date().toISOString() },
      });
    }
  }
  const { signed, problems } = await operator.importRecords(lines(), {
    onProblem: ({ line, reason }) => {
      throw new Error(`line ${line}: ${reason}`);
    },
  });
  if (signed !== keys.length || problems > 0) throw new Error(`${signed} values were signed`);
  return signed;
}
