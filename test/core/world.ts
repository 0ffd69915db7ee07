import { expect } from 'vitest';
import {
  AccessError,
  type AccessRequest,
  type AccessRequestTransaction,
  accessErrors,
  type CatalogueCode,
  type CompanyCaller,
  type CompanyRole,
  type ContactCaller,
  createCompanyUseCases,
  createContactUseCases,
  createInvestorUseCases,
  createOperatorUseCases,
  createServiceUseCases,
  type InvestorContactCaller,
  type InvestorKeyCaller,
  type InvestorRole,
  type Ports,
  Refusal,
  type SignedInCaller,
} from '#core';
import { createMemoryPorts, type MemoryPorts } from '../memory/index.ts';
import { aCall } from '../support/call.ts';
import { createFixtures, type Portfolio } from '../support/fixtures.ts';
import { loadingReads } from '../support/loading-reads.ts';

export const day = 86_400_000;
export const start = new Date('2026-11-02T09:30:00.000Z');

/** Accepts negative numbers. */
export function later(milliseconds: number, instant: Date = start): Date {
  return new Date(instant.getTime() + milliseconds);
}

/** The whole core with ports in memory. Its clock changes only when a test moves it. */
export function createWorld(replace: (ports: MemoryPorts) => Partial<Ports> = () => ({})) {
  const memory = createMemoryPorts();
  memory.clock.set(start);
  const ports: Ports = { ...memory, ...replace(memory) };
  const readers = createInvestorUseCases(ports);
  const callers = loadingReads(readers);
  const companies = loadingReads(createCompanyUseCases(ports));
  const contacts = createContactUseCases(ports);
  const operator = createOperatorUseCases(ports);
  const background = createServiceUseCases(ports);
  const fixtures = createFixtures(operator, readers);

  async function admit(secret: string): Promise<InvestorKeyCaller> {
    const admission = await callers.admitCaller(secret, 1, aCall);
    if ('refusal' in admission) throw admission.refusal;
    return admission.caller;
  }

  return {
    ...fixtures,
    ports,
    clock: memory.clock,
    callers,
    /** The same use cases as `callers`, but a read of company data returns a `Reading`. */
    readers,
    companies,
    contacts,
    operator,
    background,
    admit,
    async admitCompany(
      companyId: string,
      given: Omit<Parameters<typeof operator.createCompanyKey>[0], 'companyId'> = {},
    ): Promise<CompanyCaller> {
      const { secret } = await operator.createCompanyKey({ ...given, companyId });
      const admission = await companies.admitCompany(secret, 1, aCall);
      if ('refusal' in admission) throw admission.refusal;
      return admission.caller;
    },
    async signIn(companyId: string, email?: string): Promise<string> {
      const { token } = await operator.createSignInLink({ companyId, email });
      const opened = await contacts.signIn({ token, previousSession: null, device: null });
      if (opened === null) throw new Error('the link does not work');
      return opened.session;
    },
    async admitSession(session: string): Promise<SignedInCaller> {
      const admission = await contacts.admitContact(session, 1, aCall);
      if ('refusal' in admission) throw admission.refusal;
      return admission.caller;
    },
    async admitContact(
      companyId: string,
      email = 'cfo@harbor.example',
      role: CompanyRole = 'admin',
    ): Promise<ContactCaller> {
      await operator.addContact({ companyId, email, role }).catch(() => undefined);
      const caller = await this.admitSession(await this.signIn(companyId, email));
      if (caller.kind !== 'contact') throw new Error('no company is chosen');
      return caller;
    },
    async admitInvestorContact(
      investorId: string,
      email = 'analyst@northwind.example',
      role: InvestorRole = 'admin',
    ): Promise<InvestorContactCaller> {
      await operator.addContact({ investorId, email, role }).catch(() => undefined);
      const { token } = await operator.createSignInLink({ investorId, email });
      const opened = await contacts.signIn({ token, previousSession: null, device: null });
      const caller = await this.admitSession(opened?.session ?? '');
      if (caller.kind !== 'investor_contact') throw new Error('no investor is chosen');
      return caller;
    },
    leave: ({ investor, companyId }: Pick<Newcomer, 'investor' | 'companyId'>) =>
      operator.removeFromPortfolio({ investorId: investor.id, companyId }),
    async anotherInvestor(companyId: string) {
      const investor = await fixtures.investor();
      await operator.addToPortfolio({ investorId: investor.id, companyId });
      const { key, keyId } = await fixtures.key(investor);
      return { investor, key, keyId, companyId, caller: await admit(key) };
    },
    async stored(id: string): Promise<AccessRequest> {
      const request = await ports.accessRequests.find(id);
      if (request === null) throw new Error(`there is no ${id}`);
      return request;
    },
    async eventTypes(): Promise<string[]> {
      const { events } = await operator.listAccessEvents({ limit: 1000 });
      return events.map(({ type }) => type.replace('access_request.', ''));
    },
    /** Creates an investor with one company, and a caller that has every scope by default. */
    async newcomer(options: Parameters<typeof fixtures.portfolio>[0] = {}): Promise<Newcomer> {
      const portfolio = await fixtures.portfolio(options);
      return { ...portfolio, caller: await admit(portfolio.key), companyId: portfolio.company.id };
    },
  };
}

export type World = ReturnType<typeof createWorld>;

export interface Newcomer extends Portfolio {
  readonly caller: InvestorKeyCaller;
  readonly companyId: string;
}

export const inTransactions =
  (replace: (transaction: AccessRequestTransaction) => Partial<AccessRequestTransaction>) =>
  ({ accessRequests }: Pick<Ports, 'accessRequests'>): Pick<Ports, 'accessRequests'> => ({
    accessRequests: {
      ...accessRequests,
      transact: (credential, work) =>
        accessRequests.transact(credential, (transaction) =>
          work({ ...transaction, ...replace(transaction) }),
        ),
    },
  });

export async function newcomerIn<In extends Pick<World, 'newcomer'>>(
  world: In,
  options?: Parameters<World['newcomer']>[0],
) {
  const newcomer = await world.newcomer(options);
  return { ...newcomer, newcomer, world };
}

type PortfolioOptions = Parameters<World['newcomer']>[0];

export const aNewcomer = (options?: PortfolioOptions) => newcomerIn(createWorld(), options);

export async function aPortfolio(options?: PortfolioOptions) {
  const world = createWorld();
  return { world, ...(await world.portfolio(options)) };
}

type Attempt = Promise<unknown> | (() => unknown);

/** Expects an AccessError if the API has this code, otherwise a Refusal. A given message must match. */
export async function expectRefusal(
  attempt: Attempt,
  code: CatalogueCode,
  message: string | RegExp = '',
): Promise<Refusal> {
  const error = await failureOf(attempt);
  expect(error).toBeInstanceOf(Object.hasOwn(accessErrors, code) ? AccessError : Refusal);
  expect((error as Refusal).code).toBe(code);
  expect((error as Refusal).message).toMatch(message);
  return error as Refusal;
}

async function failureOf(attempt: Attempt): Promise<unknown> {
  try {
    await (typeof attempt === 'function' ? attempt() : attempt);
  } catch (error) {
    return error;
  }
  throw new Error('nothing was refused');
}
