import type { FeedEvent, WebhookOwner } from '#core';
import { presentAccessRequest } from './access-requests.ts';

/** What a webhook is sent about an event: the request as the owner of the endpoint sees it in its own API. */
export function writeWebhook(event: FeedEvent, owner: WebhookOwner): string {
  const { accessRequest, type, createdAt } = event;
  const shown = presentAccessRequest(accessRequest);
  const data = {
    access_request:
      'companyId' in owner
        ? {
            ...shown,
            investor: { id: accessRequest.investorId, name: event.investorName },
            reason: accessRequest.reason,
            decided_at: accessRequest.decidedAt?.toISOString() ?? null,
          }
        : shown,
  };
  return JSON.stringify({ type, timestamp: createdAt.toISOString(), data });
}
