import type { Backlog } from '../../model/events/backlog.ts';
import type { Ports } from '../../ports/index.ts';

export const readBacklogs =
  ({ webhookDeliveries, mails, clock }: Ports) =>
  async (): Promise<{ readonly webhooks: Backlog; readonly mails: Backlog }> => {
    const now = clock.now();
    const [ofWebhooks, ofMails] = await Promise.all([
      webhookDeliveries.readBacklog(now),
      mails.readBacklog(now),
    ]);
    return { webhooks: ofWebhooks, mails: ofMails };
  };
