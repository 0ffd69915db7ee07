import { startReceiver } from '../gateway/webhooks/receiver.ts';
import { allScopes } from '../support/contract.ts';
import type { TestService } from '../support/service.ts';

type Owner = { readonly companyId: string } | { readonly investorId: string };

const ending = new Date('2099-12-31T23:59:59.999Z');

async function makeKeys({ operator }: TestService, owner: Owner): Promise<string> {
  if ('companyId' in owner) {
    const { key } = await operator.createCompanyKey(owner);
    const rotated = await operator.createCompanyKey({ ...owner, expiresAt: ending });
    await operator.rotateCompanyKey({ id: rotated.key.id, overlapMilliseconds: 86_400_000 });
    const revoked = await operator.createCompanyKey(owner);
    await operator.revokeCompanyKey({ id: revoked.key.id });
    return key.id;
  }
  const scopes = [...allScopes];
  const { key } = await operator.createApiKey({ ...owner, scopes, name: 'Dashboard' });
  const rotated = await operator.createApiKey({ ...owner, scopes, expiresAt: ending });
  await operator.rotateApiKey({ id: rotated.key.id, overlapMilliseconds: 86_400_000 });
  const revoked = await operator.createApiKey({ ...owner, scopes });
  await operator.revokeApiKey({ id: revoked.key.id });
  return key.id;
}

/** Adds content to an owner's settings, and returns the pages that show it. */
export async function furnish(service: TestService, owner: Owner): Promise<string[]> {
  const id = Object.values(owner).join('').toLowerCase().replaceAll('_', '-');
  const email = `${'long.'.repeat(12)}${id}@example.com`;
  const contact = await service.operator.addContact({ ...owner, email });
  const keyId = await makeKeys(service, owner);
  return [
    '/desk/sessions',
    '/desk/settings',
    `/desk/settings/contacts/${contact.id}/role`,
    `/desk/settings/contacts/${contact.id}/remove`,
    '/desk/settings/keys',
    `/desk/settings/keys/${keyId}/rotate`,
    `/desk/settings/keys/${keyId}/revoke`,
    ...('investorId' in owner ? ['/desk/settings/usage', '/desk/settings/mails'] : []),
    '/desk/settings/webhooks',
    '/desk/settings/log',
  ];
}

export async function queue({ background }: TestService): Promise<void> {
  while ((await background.queueWebhooks()) > 0);
}

export async function deliver(service: TestService): Promise<void> {
  const { background } = service;
  await queue(service);
  const never = new AbortController().signal;
  for (const claim of await background.claimWebhookEndpoints(100)) {
    const turn = { stopSignal: never, abortSignal: never, onOutcome: () => undefined };
    await background.deliverWebhooks(claim, turn);
  }
}

export async function happen({ operator, fixtures }: TestService, owner: Owner): Promise<void> {
  const investor = 'investorId' in owner ? { id: owner.investorId } : await fixtures.investor();
  const companyId = 'companyId' in owner ? owner.companyId : (await fixtures.company()).id;
  await operator.addToPortfolio({ investorId: investor.id, companyId });
  await fixtures.request((await fixtures.key(investor)).key, companyId);
}

/** Returns the pages of a webhook that a failed delivery has disabled. */
export async function furnishWebhook(service: TestService, owner: Owner): Promise<string[]> {
  const gone = await startReceiver((_call, response) => response.writeHead(410).end());
  const { endpoint } = await service.operator.addWebhook({ ...owner, url: gone.url });
  await happen(service, owner);
  await deliver(service);
  await gone.close();
  const path = `/desk/settings/webhooks/${endpoint.id}`;
  return [path, `${path}/enable`, `${path}/rotate`, `${path}/remove`];
}

export const allowPrivate = { WEBHOOK_ALLOW_PRIVATE: 'on' };
