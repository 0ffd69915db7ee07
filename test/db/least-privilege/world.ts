import { CompactSign, exportJWK, generateKeyPair } from 'jose';
import {
  type CompanyCaller,
  type ContactCaller,
  createCompanyUseCases,
  createContactUseCases,
  createInvestorUseCases,
  createOperatorUseCases,
  createServiceUseCases,
  type GrantableScope,
  type InvestorContactCaller,
  type InvestorKeyCaller,
  type OpenIdConnect,
  type Owner,
  PolledEventFeed,
  type Ports,
  parseExactJson,
  type Repositories,
} from '#core';
import { type Database, openDatabase } from '#db';
import { createId } from '../../../gateway/ids.ts';
import { createMemoryPorts } from '../../memory/index.ts';
import { createMemorySigner } from '../../memory/signer.ts';
import { createMemoryWebhookPlatform } from '../../memory/webhook-sender.ts';
import { aCall } from '../../support/call.ts';
import { withClient } from '../../support/databases.ts';
import { createFixtures, importLines, sampleData } from '../../support/fixtures.ts';

export interface Urls {
  readonly service: string;
  readonly operator: string;
  readonly owner: string;
}

const provider: OpenIdConnect = {
  begin: async () => ({ url: 'https://id.example.com', secret: 'kept' }),
  finish: async (_kept, email) => ({ email, isEmailVerified: true }),
};

/** Long time limits, so tests don't fail on a busy machine. */
const limits = { acquireMilliseconds: 60_000, statementMilliseconds: 60_000 };

const insufficientPrivilege = '42501';

const isRefused = (error: unknown): boolean =>
  [error, (error as { cause?: unknown } | null)?.cause].some(
    (one) => (one as { code?: unknown } | null | undefined)?.code === insufficientPrivilege,
  );

/**
 * Calls `onRefused` for each statement that the database refuses for lack of rights, even if the
 * service handles the error.
 */
function watched(repositories: Repositories, onRefused: (error: unknown) => void): Repositories {
  const watch = (error: unknown): never => {
    if (isRefused(error)) onRefused(error);
    throw error;
  };
  const entries = Object.entries(repositories).map(([name, repository]) => [
    name,
    new Proxy(repository as object, {
      get(target, property) {
        const value: unknown = Reflect.get(target, property);
        if (typeof value !== 'function') return value;
        return (...given: unknown[]) => {
          const result: unknown = Reflect.apply(value, target, given);
          return result instanceof Promise ? result.catch(watch) : result;
        };
      },
    }),
  ]);
  return Object.fromEntries(entries) as Repositories;
}

/** Each kind of caller has the database role that it has in production. */
export async function openSides(urls: Urls) {
  const refused: unknown[] = [];
  const lapsed = new Set<string>();
  const onRefused = (error: unknown) => refused.push(error);
  const open = (databaseUrl: string, role: 'service' | 'command'): Promise<Database> =>
    openDatabase({ databaseUrl, dataDir: '', role, limits, onError: onRefused });
  const service = await open(urls.service, 'service');
  const command = await open(urls.operator, 'command');
  const owner = await open(urls.owner, 'command');
  const memory = createMemoryPorts();
  const webhooks = createMemoryWebhookPlatform();
  const clock = { now: () => new Date() };

  function portsOver(repositories: Repositories): Ports {
    const seen = watched(repositories, onRefused);
    return {
      ...memory,
      ...seen,
      clock,
      ids: { next: createId },
      eventFeed: new PolledEventFeed(seen.accessEvents, { perOwner: 100, total: 100 }),
      openIdConnect: provider,
      settings: { ...memory.settings, signInWays: ['link', 'oidc'] },
      signer: createMemorySigner(seen.signingKeys, clock),
      webhooks,
    };
  }
  const requests = portsOver(service.repositories);
  const background = { ...portsOver(service.backgroundRepositories), keyUses: requests.keyUses };
  const operator = createOperatorUseCases(portsOver(command.backgroundRepositories));
  const investors = createInvestorUseCases(requests);
  await owner.createPartitionsAhead(new Date());
  return {
    refused,
    investors,
    companies: createCompanyUseCases(requests),
    contacts: createContactUseCases(requests),
    background: createServiceUseCases(background),
    operator,
    /** Only the owner of the tables can archive and delete access records. */
    owner: createOperatorUseCases(portsOver(owner.backgroundRepositories)),
    unsigned: createOperatorUseCases({
      ...portsOver(command.backgroundRepositories),
      signer: { current: async () => null, reload: nothing, register: nothing, rotate: nothing },
    }),
    service,
    webhooks,
    eventFeed: requests.eventFeed as PolledEventFeed,
    fixtures: createFixtures(operator, investors),
    lapsed,
    lapse(id: string) {
      lapsed.add(id);
      return withClient(urls.owner, (client) =>
        client.query(`update access_request set deadline_at = now() where id = '${id}'`),
      );
    },
    async close() {
      for (const database of [service, command, owner]) await database.close();
    },
  };
}

const nothing = () => Promise.reject(new Error('there is no signing key'));

export type Sides = Awaited<ReturnType<typeof openSides>>;

async function createUpstream(companyId: string) {
  const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true });
  const jwks = JSON.stringify({ ...(await exportJWK(publicKey)), kid: 'ledger' });
  async function sign(rawValue: number): Promise<object> {
    const claims = { company_id: companyId, key: 'arr', period: '2026-10-31', currency: null };
    const payload = JSON.stringify({ ...claims, raw_value: String(rawValue) });
    const signature = await new CompactSign(new TextEncoder().encode(payload))
      .setProtectedHeader({ alg: 'ES256', kid: 'ledger' })
      .sign(privateKey);
    const synced = { last_synced: '2026-11-01T00:00:00Z' };
    return {
      ...{ type: 'metric', company_id: companyId, key: 'arr', period: '2026-10-31' },
      raw_value: rawValue,
      source: { system: 'ledger', method: 'api', ...synced, signature },
    };
  }
  return { jwks, sign };
}

/** Creates an investor with a grant of a company. Both have an API key, a signed-in admin and a webhook. */
export async function createWorld(sides: Sides) {
  const { operator, investors, companies, contacts, background, fixtures } = sides;
  const made = await fixtures.readablePortfolio({ rateLimit: 100_000 });
  const [companyId, investorId] = [made.company.id, made.investor.id];
  const ofCompany: Owner = { companyId };
  const ofInvestor: Owner = { investorId };
  const companyKey = await operator.createCompanyKey({
    companyId,
    scopes: ['consents:manage', 'data:read', 'data:write'],
  });
  const upstream = await createUpstream(companyId);
  await operator.addUpstreamSigners({ companyId, jwks: upstream.jwks });

  let people = 0;
  async function person(owner: Owner) {
    people += 1;
    const email = `person${String(people).padStart(3, '0')}@example.com`;
    const contact = await operator.addContact({ ...owner, email, role: 'admin' });
    return { contact, email };
  }
  async function signIn(owner: Owner, email: string): Promise<string> {
    const { token } = await operator.createSignInLink({ ...owner, email });
    const opened = await contacts.signIn({ token, previousSession: null, device: 'test' });
    if (opened === null) throw new Error('the link did not sign in');
    return opened.session;
  }
  async function callerOf(session: string) {
    const admission = await contacts.admitContact(session, 1, aCall);
    if ('refusal' in admission) throw admission.refusal;
    return admission.caller;
  }
  async function signedIn(owner: Owner) {
    const { contact, email } = await person(owner);
    const session = await signIn(owner, email);
    return { contact, email, session, caller: await callerOf(session) };
  }

  const admission = await companies.admitCompany(companyKey.secret, 1, aCall);
  if ('refusal' in admission) throw admission.refusal;
  const investorAdmission = await investors.admitCaller(made.key, 1, aCall);
  if ('refusal' in investorAdmission) throw investorAdmission.refusal;
  const companyPerson = await signedIn(ofCompany);
  const investorPerson = await signedIn(ofInvestor);

  const url = 'https://hooks.example.com/in';
  /** Removes the endpoint afterwards, because an owner can have only a few. */
  async function withEndpoint<Result>(
    owner: Owner,
    work: (endpoint: { readonly id: string; readonly eventId: string }) => Promise<Result>,
  ): Promise<Result> {
    const { id } = (await operator.addWebhook({ ...owner, url })).endpoint;
    await ('companyId' in owner ? request() : ownRequest());
    await deliver();
    const [delivery] = (await operator.listDeliveriesOfWebhook({ id })).items;
    const result = await work({ id, eventId: delivery?.eventId ?? '' });
    await operator.removeWebhook({ id }).catch(() => undefined);
    return result;
  }
  const withDisabledEndpoint = <Result>(owner: Owner, work: (id: string) => Promise<Result>) =>
    withEndpoint(owner, async ({ id, eventId }) => {
      sides.webhooks.answer({ status: 410, retryAfterSeconds: null });
      await operator.replayWebhook({ id, eventId });
      await deliver();
      sides.webhooks.answer({ status: 204, retryAfterSeconds: null });
      return work(id);
    });
  async function deliver() {
    const never = new AbortController().signal;
    while ((await background.queueWebhooks()) > 0);
    for (const claim of await background.claimWebhookEndpoints(100)) {
      await background.deliverWebhooks(claim, {
        stopSignal: never,
        abortSignal: never,
        onOutcome: () => {},
      });
    }
  }
  const neighbour = () => fixtures.companyOf(made.investor);
  async function requester() {
    const investor = await fixtures.investor();
    const { key } = await fixtures.key(investor);
    await operator.addToPortfolio({ investorId: investor.id, companyId });
    return { investor, key };
  }
  async function request(scopes?: readonly GrantableScope[]) {
    return fixtures.request((await requester()).key, companyId, scopes);
  }
  async function grant(scopes?: readonly GrantableScope[]) {
    const { id } = await request(scopes);
    return (await operator.approveAccessRequest({ id })).accessRequest;
  }
  const ownRequest = async (scopes?: readonly GrantableScope[]) =>
    fixtures.request(made.key, (await neighbour()).id, scopes);
  async function ownGrant(scopes?: readonly GrantableScope[]) {
    const { id } = await ownRequest(scopes);
    return (await operator.approveAccessRequest({ id })).accessRequest;
  }

  return {
    ...sides,
    ...{ companyId, investorId, ofCompany, ofInvestor, upstream },
    secret: made.key,
    keyId: made.keyId,
    companySecret: companyKey.secret,
    companyKeyId: companyKey.key.id,
    companyKey: admission.caller as CompanyCaller,
    companyPerson: companyPerson.caller as ContactCaller,
    investorKey: investorAdmission.caller as InvestorKeyCaller,
    investorPerson: investorPerson.caller as InvestorContactCaller,
    investorEmail: investorPerson.email,
    ...{ person, signIn, signedIn, callerOf, withEndpoint, withDisabledEndpoint, deliver },
    ...{ neighbour, asker: requester, request, grant, ownRequest, ownGrant },
    records: sampleData(companyId),
    importSample: (id: string) => importLines(operator, sampleData(id)),
  };
}

export type World = Awaited<ReturnType<typeof createWorld>>;

/** TypeScript reports a use case without an action. */
export type Acts<UseCases> = { readonly [Name in keyof UseCases]: (world: World) => unknown };

/** Returns records as a push contains them, with exact numbers. */
export const exact = (...records: readonly object[]): unknown[] =>
  records.map((record) => parseExactJson(JSON.stringify(record)));

export const all = <Item>(items: AsyncIterable<Item>): Promise<Item[]> => Array.fromAsync(items);
