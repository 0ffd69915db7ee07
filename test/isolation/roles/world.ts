import {
  type AccessRequest,
  type Contact,
  grantableScopes,
  type OpenIdConnect,
  type Owner,
  parseExactJson,
  type Role,
  type SignInWay,
  signInWays,
} from '#core';
import { signInFor } from '../../desk/desk.ts';
import { importLines, sampleData } from '../../support/fixtures.ts';
import type { TestService } from '../../support/service.ts';
import { type Breakage, type Harness, openHarness } from '../harness.ts';

/** Confirms whatever address a sign-in contains. */
const provider: OpenIdConnect = {
  begin: async () => null,
  finish: async (_kept, email) => ({ email, isEmailVerified: true }),
};

/** Opens a service in memory that offers all ways to sign in. */
export const open = (leak: Breakage = {}): Promise<Harness> =>
  openHarness(
    { memory: true },
    {
      ...leak,
      replace: (ports) => ({
        openIdConnect: provider,
        settings: { ...ports.settings, signInWays },
        ...leak.replace?.(ports),
      }),
    },
  );

/** A contact of a company or an investor, and everything that the contact can try to change. */
export interface World {
  readonly companyId: string;
  readonly investorId: string;
  readonly neighbourId: string;
  readonly pending: AccessRequest;
  readonly granted: AccessRequest;
  /** A key and a webhook of the contact's organisation, and an event sent to the webhook. */
  readonly keyId: string;
  readonly endpointId: string;
  readonly eventId: string;
  readonly record: unknown;
  readonly dataVersion: string;
  readonly apiKey: string;
  readonly colleague: Contact;
  readonly person: Contact;
  readonly session: string;
}

let made = 0;

export async function createWorld(
  { service, ports }: Harness,
  side: 'company' | 'investor',
  role: Role,
  way: SignInWay,
): Promise<World> {
  const { fixtures, operator } = service;
  const { investor, company, key, keyId } = await fixtures.portfolio();
  const neighbour = await fixtures.companyOf(investor);
  const other = await fixtures.portfolio();
  await operator.addToPortfolio({ investorId: other.investor.id, companyId: company.id });
  await importLines(operator, sampleData(company.id));
  const owner: Owner = side === 'company' ? { companyId: company.id } : { investorId: investor.id };
  const url = 'https://hooks.example.com/all';
  const { endpoint } = await operator.addWebhook({ ...owner, url });
  const asked = await fixtures.request(other.key, company.id, ['metrics:read']);
  const ended = await fixtures.request(key, company.id, [...grantableScopes]);
  await operator.approveAccessRequest({ id: ended.id });
  await deliver(service);
  const [delivery] = (await operator.listDeliveriesOfWebhook({ id: endpoint.id })).items;
  const requestOf = async (id: string) => (await operator.showAccessRequest({ id })).accessRequest;
  made += 1;
  const addressOf = (name: string) => `${name}${made}@example.com`;
  // With a second admin, the rule about the last admin never applies.
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
    keyId: 'companyId' in owner ? (await operator.createCompanyKey(owner)).key.id : keyId,
    endpointId: endpoint.id,
    eventId: delivery?.eventId ?? '',
    record: parseExactJson(JSON.stringify(sampleData(company.id)[0])),
    dataVersion: await ports.companyData.version(company.id),
    apiKey: key,
    colleague,
    person,
    session:
      way === 'link'
        ? (await signInFor(service, owner, email, role)).session
        : await signInAtProvider(service, email),
  };
}

async function signInAtProvider(service: TestService, email: string): Promise<string> {
  const browser = { previousSession: null, device: null };
  const coming = { kept: null, query: email, source: email, ...browser };
  const signedIn = await service.contacts.finishSignInAtProvider(coming);
  if ('refused' in signedIn) throw new Error(`the provider signs nobody in: ${signedIn.refused}`);
  return signedIn.opened.session;
}

async function deliver({ background }: TestService): Promise<void> {
  const never = new AbortController().signal;
  const turn = { stopSignal: never, abortSignal: never, onOutcome: () => undefined };
  while ((await background.queueWebhooks()) > 0);
  for (const claim of await background.claimWebhookEndpoints(100)) {
    await background.deliverWebhooks(claim, turn);
  }
}

/** Returns everything that an action can change. */
export async function everything({ service, ports }: Harness, world: World): Promise<unknown> {
  const { operator } = service;
  const { companyId, investorId, neighbourId, pending, granted, endpointId: id } = world;
  const requestsOf = (id: string) => operator.listCompanyAccessRequests({ companyId: id });
  const keys = [
    await operator.listCompanyKeys({ companyId }),
    await operator.listApiKeys({ investorId }),
  ];
  return {
    requests: [await requestsOf(companyId), await requestsOf(neighbourId)],
    shown: await Promise.all(
      [pending, granted].map(({ id }) => operator.showAccessRequest({ id })),
    ),
    people: [
      await operator.listContacts({ companyId }),
      await operator.listContacts({ investorId }),
    ],
    keys: keys
      .flat()
      .map(({ id, revokedAt, expiresAt, replacedBy }) => [id, revokedAt, expiresAt, replacedBy]),
    webhooks: [
      await operator.listWebhooks({ companyId }),
      await operator.listWebhooks({ investorId }),
    ],
    deliveries: (await operator.listDeliveriesOfWebhook({ id })).items,
    settings: [
      await operator.listSettingsChanges({ companyId }),
      await operator.listSettingsChanges({ investorId }),
    ],
    data: await ports.companyData.version(companyId),
  };
}
