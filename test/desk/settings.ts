import { startReceiver } from '../gateway/webhooks/receiver.ts';
import type { TestService } from '../support/service.ts';

/** Gives a company what its settings can show, and names the pages that show it. */
export async function furnish({ operator }: TestService, companyId: string): Promise<string[]> {
  const contact = await operator.addContact({
    companyId,
    email: `${'long.'.repeat(12)}${companyId.toLowerCase().replaceAll('_', '-')}@example.com`,
  });
  const { key } = await operator.createCompanyKey({ companyId });
  const ending = new Date('2099-12-31T23:59:59.999Z');
  const rotated = await operator.createCompanyKey({ companyId, expiresAt: ending });
  await operator.rotateCompanyKey({ id: rotated.key.id, overlapMilliseconds: 86_400_000 });
  const revoked = await operator.createCompanyKey({ companyId });
  await operator.revokeCompanyKey({ id: revoked.key.id });
  return [
    '/desk/sessions',
    '/desk/settings',
    `/desk/settings/contacts/${contact.id}/remove`,
    '/desk/settings/keys',
    `/desk/settings/keys/${key.id}/rotate`,
    `/desk/settings/keys/${key.id}/revoke`,
    '/desk/settings/webhooks',
  ];
}

/** Gives a company a webhook that was disabled by what it was sent, and names its pages. */
export async function furnishWebhook(
  { operator, background, fixtures }: TestService,
  companyId: string,
): Promise<string[]> {
  const gone = await startReceiver((_call, response) => response.writeHead(410).end());
  const { endpoint } = await operator.addWebhook({ companyId, url: gone.url });
  const investor = await fixtures.investor();
  await operator.addToPortfolio({ investorId: investor.id, companyId });
  await fixtures.request((await fixtures.key(investor)).key, companyId);
  while ((await background.queueWebhooks()) > 0);
  const never = new AbortController().signal;
  for (const claim of await background.claimWebhookEndpoints(100)) {
    const turn = { stopping: never, cut: never, onOutcome: () => undefined };
    await background.deliverWebhooks(claim, turn);
  }
  await gone.close();
  const path = `/desk/settings/webhooks/${endpoint.id}`;
  return [path, `${path}/enable`, `${path}/rotate`, `${path}/remove`];
}

export const allowPrivate = { WEBHOOK_ALLOW_PRIVATE: 'on' };
