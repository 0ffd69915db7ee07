import type {
  AccessRequest,
  Company,
  Environment,
  GrantableScope,
  Investor,
  InvestorCaller,
  InvestorUseCases,
  OperatorUseCases,
  Scope,
} from '#core';
import { aCall } from './call.ts';
import { allScopes, grantable } from './contract.ts';

interface KeyOptions {
  readonly scopes?: readonly Scope[];
  readonly expiresAt?: Date;
  readonly rateLimit?: number;
}

export interface Portfolio {
  readonly investor: Investor;
  readonly company: Company;
  /** The secret of the API key, which has every scope by default. */
  readonly key: string;
  readonly keyId: string;
}

const requestsAtOnce = 20;

/** Each call creates new data, so tests share no data. */
export function createFixtures(operator: OperatorUseCases, callers: InvestorUseCases) {
  let count = 0;
  const next = () => {
    count += 1;
    return String(count).padStart(4, '0');
  };

  async function investor(environment: Environment = 'live'): Promise<Investor> {
    return operator.createInvestor({ name: `Investor ${next()}`, environment, sandbox: false });
  }

  async function key(
    { id }: Pick<Investor, 'id'>,
    { scopes = allScopes, ...rest }: KeyOptions = {},
  ) {
    const minted = await operator.createApiKey({ investorId: id, scopes, ...rest });
    return { key: minted.secret, keyId: minted.key.id };
  }

  async function companyKey(companyId: string, options: { expiresAt?: Date } = {}) {
    const minted = await operator.createCompanyKey({ companyId, ...options });
    return { key: minted.secret, keyId: minted.key.id };
  }

  /** Creates a company outside every portfolio. */
  async function company(environment: Environment = 'live', name?: string): Promise<Company> {
    return operator.createCompany({ name: name ?? `Company ${next()}`, environment });
  }

  async function companyOf({ id, environment }: Investor, name?: string): Promise<Company> {
    const created = await company(environment, name);
    await operator.addToPortfolio({ investorId: id, companyId: created.id });
    return created;
  }

  async function portfolio(
    options: KeyOptions & { environment?: Environment } = {},
  ): Promise<Portfolio> {
    const { environment, ...keyOptions } = options;
    const owner = await investor(environment);
    return {
      investor: owner,
      company: await companyOf(owner),
      ...(await key(owner, keyOptions)),
    };
  }

  async function investorCallerOf(secret: string): Promise<InvestorCaller> {
    const admission = await callers.admitCaller(secret, 1, aCall);
    if ('refusal' in admission) throw admission.refusal;
    return admission.caller;
  }

  async function request(
    secret: string,
    companyId: string,
    scopes: readonly GrantableScope[] = grantable,
  ): Promise<AccessRequest> {
    const { accessRequest } = await callers.requestAccess(await investorCallerOf(secret), {
      companyId,
      scopes: [...scopes],
    });
    return accessRequest;
  }

  async function manyRequests(wanted: number) {
    const owner = await investor();
    const made = await key(owner, { rateLimit: 10_000 });
    const ask = async () => request(made.key, (await companyOf(owner)).id);
    const requests: AccessRequest[] = [];
    while (requests.length < wanted) {
      const length = Math.min(requestsAtOnce, wanted - requests.length);
      requests.push(...(await Promise.all(Array.from({ length }, ask))));
    }
    const byAge = (a: AccessRequest, b: AccessRequest) =>
      b.createdAt.getTime() - a.createdAt.getTime() || (a.id < b.id ? 1 : -1);
    return { investor: owner, ...made, ids: requests.toSorted(byAge).map(({ id }) => id) };
  }

  async function amend(
    secret: string,
    id: string,
    scopes: readonly GrantableScope[],
    purpose?: string,
  ): Promise<AccessRequest> {
    const amendment = { id, scopes: [...scopes], purpose };
    return callers.amendAccessRequest(await investorCallerOf(secret), amendment);
  }

  async function grant(
    { key: secret, company: { id } }: Pick<Portfolio, 'key' | 'company'>,
    scopes: readonly GrantableScope[] = grantable,
    expiresAt?: Date,
  ): Promise<AccessRequest> {
    const { id: requestId } = await request(secret, id, scopes);
    return (await operator.approveAccessRequest({ id: requestId, expiresAt })).accessRequest;
  }

  async function revoked(made: Pick<Portfolio, 'key' | 'company'>): Promise<AccessRequest> {
    const { id } = await grant(made);
    return (await operator.revokeAccessRequest({ id, reason: 'Enough.' })).accessRequest;
  }

  async function pendingRequest(scopes?: readonly GrantableScope[]) {
    const made = await portfolio();
    const { id } = await request(made.key, made.company.id, scopes);
    const { key, keyId } = await companyKey(made.company.id);
    return { ...made, requestId: id, companyKey: key, companyKeyId: keyId };
  }

  async function readablePortfolio(options: KeyOptions = {}): Promise<Portfolio> {
    const made = await portfolio(options);
    await importLines(operator, sampleData(made.company.id));
    await grant(made);
    return made;
  }

  return {
    investor,
    key,
    company,
    companyKey,
    companyOf,
    portfolio,
    request,
    manyRequests,
    amend,
    asking: pendingRequest,
    grant,
    revoked,
    readablePortfolio,
  };
}

export type Fixtures = ReturnType<typeof createFixtures>;

/** Throws if a line is refused, so that no test continues with incomplete data. */
export async function importLines(
  operator: OperatorUseCases,
  records: readonly object[],
): Promise<void> {
  const problems: string[] = [];
  async function* lines(): AsyncIterable<string> {
    for (const record of records) yield JSON.stringify(record);
  }
  await operator.importRecords(lines(), {
    onProblem: ({ line, reason }) => problems.push(`${line}: ${reason}`),
  });
  if (problems.length > 0) throw new Error(problems.join('\n'));
}

const synced = '2026-11-01T04:00:00Z';

/** Three months of cash, one month of headcount, two sources and two accounts, deliberately unsorted. */
export function sampleData(companyId: string): object[] {
  const cash = (period: string, amount: number) => ({
    type: 'metric',
    company_id: companyId,
    key: 'cash_balance',
    label: 'Cash balance',
    currency: 'USD',
    period,
    source: { system: 'mercury', method: 'api', last_synced: synced },
    verification: { verified: true },
    confidence: 'high',
    raw_value: amount,
    category: 'liquidity',
    as_of: `${period}T23:59:59Z`,
  });
  return [
    cash('2026-09-30', 1_250_000.5),
    cash('2026-10-31', 990_000.25),
    cash('2026-08-31', 1_500_000),
    {
      type: 'metric',
      company_id: companyId,
      key: 'headcount',
      period: '2026-10-31',
      source: { system: 'gusto', method: 'api', last_synced: synced },
      raw_value: 48,
    },
    {
      type: 'source',
      company_id: companyId,
      provider: 'mercury',
      status: 'connected',
      account_name: 'Operating account',
      last_synced_at: synced,
    },
    {
      type: 'source',
      company_id: companyId,
      provider: 'gusto',
      status: 'error',
      account_name: 'Payroll',
      last_synced_at: synced,
    },
    {
      type: 'account',
      company_id: companyId,
      provider: 'mercury',
      name: 'Operating account',
      account_type: 'bank',
      currency: 'USD',
      raw_balance: 990_000.25,
      last_four: '4821',
      last_synced_at: synced,
    },
    {
      type: 'account',
      company_id: companyId,
      provider: 'brex',
      name: 'Cards',
      account_type: 'credit',
      currency: 'USD',
      raw_balance: -1200,
      last_synced_at: synced,
    },
  ];
}
