import { Counter, Gauge, type Registry } from '@prometheus-io/client';
import {
  environments,
  isSuccess,
  type ServiceUseCases,
  unhealthyStatuses,
  type WebhookOutcome,
} from '#core';
import { readWithFallback } from './last-known.ts';

type ReadBacklogs = ServiceUseCases['readBacklogs'];

export function createBackgroundMetrics(registry: Registry) {
  const attempts = new Counter({
    name: 'webhook_attempts_total',
    help: 'Attempts to deliver a webhook: delivered, refused by the receiver, or failed before an answer.',
    labelNames: ['outcome'],
    registers: [registry],
  });
  for (const outcome of ['delivered', 'refused', 'failed']) attempts.inc({ outcome }, 0);
  return {
    countWebhook(outcome: WebhookOutcome): void {
      const unanswered = 'failure' in outcome ? 'failed' : 'refused';
      attempts.inc({ outcome: isSuccess(outcome) ? 'delivered' : unanswered });
    },
    /** Must be called only in the process that checks the consistency of consents. */
    showConsentFindings(count: () => number): void {
      new Gauge({
        name: 'consent_findings',
        help: 'Access requests, pending or approved, that do not agree with their events and receipts.',
        aggregator: 'max',
        registers: [registry],
        collect() {
          this.set(count());
        },
      });
    },
    showSources(countUnhealthySources: ServiceUseCases['countUnhealthySources']): void {
      const readUnhealthy = readWithFallback(countUnhealthySources);
      new Gauge({
        name: 'sources_stopped',
        help: 'Sources of companies that are stale or have failed, at most 10,000 of each.',
        labelNames: ['environment', 'status'],
        // All processes report the same number, because they read the same tables. So it must not be added up.
        aggregator: 'max',
        registers: [registry],
        async collect() {
          const unhealthy = await readUnhealthy();
          if (unhealthy === null) return;
          for (const environment of environments) {
            for (const status of unhealthyStatuses) {
              this.set({ environment, status }, unhealthy[environment][status]);
            }
          }
        },
      });
    },
    /** Reports late mails only if mail is configured. */
    showBacklogs(readBacklogs: ReadBacklogs, isMailSent: boolean): void {
      const readLast = readWithFallback(readBacklogs);
      const show = (
        name: string,
        help: string,
        read: (backlogs: Awaited<ReturnType<ReadBacklogs>>) => number,
      ) =>
        new Gauge({
          name,
          help,
          // All processes report the same number, because they read the same tables. So it must not be added up.
          aggregator: 'max',
          registers: [registry],
          async collect() {
            const backlogs = await readLast();
            if (backlogs !== null) this.set(read(backlogs));
          },
        });
      show(
        'webhook_deliveries_waiting',
        'Webhook deliveries that wait for an attempt.',
        ({ webhooks }) => webhooks.waiting,
      );
      show(
        'webhook_deliveries_oldest_seconds',
        'Age of the oldest waiting delivery; a delivery is tried for three days.',
        ({ webhooks }) => ageOf(webhooks.oldestAt),
      );
      show(
        'webhook_deliveries_late_seconds',
        'How late the oldest unclaimed delivery is.',
        ({ webhooks }) => ageOf(webhooks.dueSince),
      );
      show('mails_waiting', 'Mails that wait to be sent.', ({ mails }) => mails.waiting);
      show('mails_oldest_seconds', 'Age of the oldest waiting mail.', ({ mails }) =>
        ageOf(mails.oldestAt),
      );
      if (isMailSent) {
        show('mails_late_seconds', 'How late the oldest unclaimed mail is.', ({ mails }) =>
          ageOf(mails.dueSince),
        );
      }
      show(
        'event_feed_lag_seconds',
        'Age of the oldest event whose webhooks or mails are not queued yet.',
        ({ webhooks, mails }) =>
          Math.max(ageOf(webhooks.oldestUnconsumedAt), ageOf(mails.oldestUnconsumedAt)),
      );
    },
  };
}

const ageOf = (instant: Date | null) =>
  instant === null ? 0 : Math.max(0, (Date.now() - instant.getTime()) / 1000);
