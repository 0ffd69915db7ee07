import { importLines } from '../../support/fixtures.ts';
import { type OperatorSide, openOperatorSide } from '../../support/operator.ts';
import type { Call, Outcome } from './traffic.ts';

interface Pair {
  readonly key: string;
  readonly companyId: string;
  readonly companyKey: string;
}

export interface Consent extends Pair {
  requestId: string;
}

const rateLimit = 1_000_000;

export async function createPair(side: OperatorSide): Promise<Consent> {
  const { key, company } = await side.fixtures.readablePortfolio({ rateLimit });
  const { key: companyKey } = await side.fixtures.companyKey(company.id);
  const [request] = await side.operator.listCompanyAccessRequests({ companyId: company.id });
  return { key, companyId: company.id, companyKey, requestId: request?.id ?? '' };
}

export async function createRequester(side: OperatorSide, companies: number) {
  const investor = await side.fixtures.investor();
  const { key } = await side.fixtures.key(investor, { rateLimit });
  const name = investor.id.slice(-12);
  const ids = Array.from({ length: companies }, (_, index) => `co_${name}_${index}`);
  await importLines(
    side.operator,
    ids.map((id) => ({ type: 'company', id, name: id, environment: 'live' })),
  );
  for (const companyId of ids) {
    await side.operator.addToPortfolio({ investorId: investor.id, companyId });
  }
  return { key, companies: ids };
}

export async function asOperator<T>(
  databaseUrl: string,
  work: (side: OperatorSide) => Promise<T>,
  environment: Readonly<Record<string, string>> = {},
): Promise<T> {
  const side = await openOperatorSide({ DATABASE_URL: databaseUrl, ...environment });
  try {
    return await work(side);
  } finally {
    await side.close();
  }
}

export interface PairCall extends Call {
  readonly kind: 'data' | 'company' | 'portfolio' | 'requests' | 'request' | 'received';
  readonly pair: Consent;
}

export function callsOf(pair: Consent): PairCall[] {
  const { key, companyId, companyKey, requestId } = pair;
  const company = `/v1/companies/${companyId}`;
  const query = `{ company(id: "${companyId}") { metrics { __typename ... on AccessRefusal { code } } } }`;
  const input = encodeURIComponent(JSON.stringify({ companyId }));
  const get = (kind: PairCall['kind'], path: string, secret = key): PairCall => ({
    ...{ kind, pair, method: 'GET', path, key: secret },
  });
  return [
    get('data', `${company}/metrics`),
    get('data', `${company}/sources`),
    { kind: 'data', pair, method: 'POST', path: '/graphql', key, body: { query } },
    get('data', `/trpc/metrics.latest?input=${input}`),
    get('company', company),
    get('portfolio', '/v1/companies'),
    get('requests', '/v1/access-requests'),
    get('request', `/v1/access-requests/${requestId}`),
    get('received', '/company/v1/access-requests', companyKey),
  ];
}

/** The consent that an answer shows: granted or refused. Null if it shows neither, as in an outage. */
export function consentIn({ call, answer }: Outcome<PairCall>): 'granted' | 'refused' | null {
  if (answer === null || answer.status >= 500) return null;
  const { body } = answer;
  const said = (isGranted: boolean) => (isGranted ? 'granted' : 'refused');
  switch (call.kind) {
    case 'data': {
      if (call.path !== '/graphql') return said(answer.status === 200);
      const metrics = body.data?.company?.metrics ?? null;
      return metrics === null ? null : said(metrics.__typename === 'CompanyMetrics');
    }
    case 'company':
      return said(body.access === 'approved');
    case 'portfolio':
      return said(body.data.some(({ access }: { access: string }) => access === 'approved'));
    case 'request':
      return said(body.status === 'approved');
    default:
      return said(body.data.some(({ status }: { status: string }) => status === 'approved'));
  }
}

export async function grantAgain(side: OperatorSide, pair: Consent): Promise<void> {
  const { id } = await side.fixtures.request(pair.key, pair.companyId);
  await side.operator.approveAccessRequest({ id });
  pair.requestId = id;
}
