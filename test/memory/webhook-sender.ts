import type { WebhookOutcome, WebhookRequest, Webhooks } from '#core';
import { webhookRetrySeconds } from '#core';

export interface MemoryWebhooks extends Webhooks {
  /** In the order of sending. */
  readonly sent: WebhookRequest[];
  /** Sets the outcomes of the next attempts. The last outcome is repeated. */
  answer(...outcomes: WebhookOutcome[]): void;
}

/** Sends nothing, and accepts every URL except hosts that begin with `private`. */
export function createMemoryWebhookPlatform(): MemoryWebhooks {
  const sent: WebhookRequest[] = [];
  let answers: WebhookOutcome[] = [{ status: 204, retryAfterSeconds: null }];
  return {
    sent,
    answer: (...outcomes) => {
      answers = outcomes;
    },
    sender: {
      isAllowed: async (url) => !new URL(url).hostname.startsWith('private'),
      async send(request) {
        sent.push(request);
        const [next] = answers;
        if (next === undefined) throw new Error('no answer was planned');
        if (answers.length > 1) answers.shift();
        return next;
      },
    },
    write: async ({ id, type }, owner) => JSON.stringify({ id, type, owner }),
    retrySeconds: webhookRetrySeconds,
  };
}
