import type { ServiceUseCases } from '#core';
import type { Acts, World } from './world.ts';

async function withMails({ background, request }: World) {
  await request();
  while ((await background.queueMails()) > 0);
  return background.claimMails(20);
}

/** Each task has work to do. periodic-tasks.test.ts tests them with rows of removed owners. */
export const serviceActs: Acts<ServiceUseCases> = {
  countUnhealthySources: ({ background }) => background.countUnhealthySources(),
  reportStaleSources: ({ background }) => background.reportStaleSources(),
  announceExpiringGrants: ({ background }) => background.announceExpiringGrants(),
  announceReviews: ({ background }) => background.announceReviews(),
  expireAccessRequests: ({ background }) => background.expireAccessRequests(),
  deleteExpiredIdempotencyKeys: ({ background }) => background.deleteExpiredIdempotencyKeys(),
  deleteOldDataEvents: ({ background }) => background.deleteOldDataEvents(),
  readBacklogs: async ({ background }) => {
    const { webhooks, mails } = await background.readBacklogs();
    return [webhooks.waiting, mails.waiting];
  },
  async storeKeyUses({ background, investors, investorKey, companyId, operator, investorId }) {
    await investors.readSources(investorKey, { companyId });
    await background.storeKeyUses();
    const keys = await operator.listApiKeys({ investorId });
    return keys.map(({ lastUsedAt }) => lastUsedAt !== null);
  },
  deleteOldMails: ({ background }) => background.deleteOldMails(),
  async queueMails({ background, request }) {
    await request();
    return background.queueMails();
  },
  claimMails: async (world) => (await withMails(world)).length,
  async claimSignInMails({ background, contacts, investorEmail }) {
    await contacts.requestSignIn({ email: investorEmail, source: '127.0.0.1' });
    return background.claimSignInMails(10);
  },
  async confirmMail(world) {
    const mails = await withMails(world);
    for (const mail of mails) await world.background.confirmMail(mail);
    return mails.length > 0;
  },
  async postponeMail(world) {
    const [mail] = await withMails(world);
    if (mail === undefined) throw new Error('no mail is waiting');
    return world.background.postponeMail(mail, 'connection refused');
  },
  watchConsents: async ({ background }) => [
    await background.watchConsents({ isFull: false, known: [] }),
    (await background.watchConsents({ isFull: true, known: [] })).length,
  ],
  listPublicKeys: ({ background }) => background.listPublicKeys(),
  countAccessRecords: ({ background }) => background.countAccessRecords(),
  async answerSandboxRequests({ background, operator, fixtures }) {
    const { id } = await operator.createInvestor({
      ...{ name: 'In the sandbox', environment: 'test', sandbox: true },
    });
    const { key } = await fixtures.key({ id });
    const { memberships } = await operator.listPortfolios({ investorId: id, limit: 10 });
    for (const { company } of memberships) await fixtures.request(key, company.id);
    return background.answerSandboxRequests();
  },
  deleteExpiredSignIns: ({ background }) => background.deleteExpiredSignIns(),
  claimWebhookEndpoints: ({ background, withEndpoint, ofCompany, operator }) =>
    withEndpoint(ofCompany, async (of) => {
      await operator.replayWebhook(of);
      return background.claimWebhookEndpoints(100);
    }),
  deliverWebhooks: ({ withEndpoint, ofCompany, operator }) =>
    withEndpoint(ofCompany, async ({ id }) => {
      const { items } = await operator.listDeliveriesOfWebhook({ id });
      return items.map(({ state }) => state);
    }),
  deleteOldDeliveries: async ({ background }) => (await background.deleteOldDeliveries()) > 0,
  async queueWebhooks({ background, request }) {
    await request();
    return background.queueWebhooks();
  },
};
