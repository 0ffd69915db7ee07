import {
  type AccessRequest,
  type CompanyUseCases,
  type Contact,
  type InvestorUseCases,
  type Owner,
  type Ports,
  parseExactJson,
  type Role,
} from '#core';
import { signInFor, type Visitor } from '../../desk/desk.ts';
import { sampleData } from '../../support/fixtures.ts';
import { startService, type TestService } from '../../support/service.ts';

/** A hole in the rule. */
export interface Leak {
  readonly replace?: (ports: Ports) => Partial<Ports>;
  readonly investor?: (useCases: InvestorUseCases) => InvestorUseCases;
  readonly company?: (useCases: CompanyUseCases) => CompanyUseCases;
}

/** A service in memory, and what its adapters ask. */
export interface Given {
  readonly service: TestService;
  readonly investor: InvestorUseCases;
  readonly company: CompanyUseCases;
}

export async function open(leak: Leak = {}): Promise<Given> {
  let investor: InvestorUseCases | undefined;
  let company: CompanyUseCases | undefined;
  const service = await startService({
    storage: { memory: true },
    isReachedDirectly: true,
    environment: { RATE_LIMIT_POINTS: '1000000' },
    ...(leak.replace && { replace: leak.replace }),
    interpose(useCases) {
      investor = leak.investor?.(useCases) ?? useCases;
      return investor;
    },
    interposeCompanies(useCases) {
      company = leak.company?.(useCases) ?? useCases;
      return company;
    },
  });
  if (investor === undefined || company === undefined) throw new Error('nothing was interposed');
  return { service, investor, company };
}

/** Somebody of a company or an investor, and what there is to try. */
export interface Stage {
  readonly companyId: string;
  readonly investorId: string;
  /** A company of the portfolio that was never asked. */
  readonly neighbourId: string;
  /** What another investor asks the company. */
  readonly pending: AccessRequest;
  /** What the investor was granted. */
  readonly granted: AccessRequest;
  readonly keyId: string;
  readonly record: unknown;
  readonly colleague: Contact;
  readonly person: Contact;
  readonly visitor: Visitor;
}

let made = 0;

export async function createStage(
  { service }: Given,
  side: 'company' | 'investor',
  role: Role,
): Promise<Stage> {
  const { fixtures, operator } = service;
  const { investor, company, key } = await fixtures.portfolio();
  const neighbour = await fixtures.companyOf(investor);
  const other = await fixtures.portfolio();
  await operator.addToPortfolio({ investorId: other.investor.id, companyId: company.id });
  const asked = await fixtures.request(other.key, company.id, ['metrics:read']);
  const ended = await fixtures.request(key, company.id, ['metrics:read']);
  await operator.approveAccessRequest({ id: ended.id });
  const requestOf = async (id: string) => (await operator.showAccessRequest({ id })).accessRequest;
  const owner: Owner = side === 'company' ? { companyId: company.id } : { investorId: investor.id };
  made += 1;
  const addressOf = (name: string) => `${name}${made}@example.com`;
  // Somebody stays who may do everything, so that nobody is kept as the last admin.
  await operator.addContact({ ...owner, email: addressOf('keeper'), role: 'admin' });
  const colleague = await operator.addContact({ ...owner, email: addressOf('colleague') });
  const email = addressOf('person');
  const person = await operator.addContact({ ...owner, email, role });
  return {
    companyId: company.id,
    investorId: investor.id,
    neighbourId: neighbour.id,
    pending: await requestOf(asked.id),
    granted: await requestOf(ended.id),
    keyId: (await operator.createCompanyKey({ companyId: company.id })).key.id,
    record: parseExactJson(JSON.stringify(sampleData(company.id)[0])),
    colleague,
    person,
    visitor: await signInFor(service, owner, email, role),
  };
}

/** Everything that an act of the table can change, to see that a refused one changed nothing. */
export async function everything({ service }: Given, stage: Stage): Promise<unknown> {
  const { operator } = service;
  const { companyId, investorId, neighbourId, pending, granted } = stage;
  const requestsOf = (id: string) => operator.listCompanyAccessRequests({ companyId: id });
  return {
    requests: [await requestsOf(companyId), await requestsOf(neighbourId)],
    shown: await Promise.all(
      [pending, granted].map(({ id }) => operator.showAccessRequest({ id })),
    ),
    people: [
      await operator.listContacts({ companyId }),
      await operator.listContacts({ investorId }),
    ],
    keys: (await operator.listCompanyKeys({ companyId })).map(({ id, revokedAt }) => [
      id,
      revokedAt,
    ]),
    webhooks: [
      await operator.listWebhooks({ companyId }),
      await operator.listWebhooks({ investorId }),
    ],
  };
}
