import { expect, it } from 'vitest';
import { noBacklog } from '#core';
import { serveMetrics } from '../../../gateway/metrics/index.ts';
import { findFreePort } from '../../support/redis.ts';
import { newMetrics } from './samples.ts';

it('the metrics count dropped access records of refusals', async () => {
  const metrics = newMetrics();
  const port = await findFreePort();
  const close = await serveMetrics({ metrics: { host: '127.0.0.1', port } }, () =>
    metrics.registry.metrics(),
  );
  const read = async () => (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  expect(await read()).toContain('\naccess_records_dropped_total 0\n');
  metrics.countDroppedRefusals(3);
  metrics.countDroppedRefusals(4);
  expect(await read()).toContain('\naccess_records_dropped_total 7\n');
  await close();
});

it('the metrics show the state of webhooks and mails, even while the database is down or hangs', async () => {
  const metrics = newMetrics();
  const webhooks = { ...noBacklog, waiting: 5, dueSince: new Date(Date.now() - 60_000) };
  const mails = { ...noBacklog, waiting: 2, oldestUnconsumedAt: new Date(Date.now() - 90_000) };
  let read = async () => ({ webhooks, mails });
  metrics.showBacklogs(() => read(), true);
  metrics.countWebhook({ status: 204, retryAfterSeconds: null });
  metrics.countWebhook({ status: 302, retryAfterSeconds: null });
  metrics.countWebhook({ failure: 'timeout' });
  const text = await metrics.registry.metrics();
  expect(text).toContain('\nwebhook_deliveries_waiting 5\n');
  expect(text).toMatch(/^webhook_deliveries_late_seconds 6\d\./m);
  expect(text).toContain('\nwebhook_deliveries_oldest_seconds 0\n');
  expect(text).toContain('\nmails_waiting 2\n');
  expect(text).toContain('\nmails_late_seconds 0\n');
  expect(text).toMatch(/^event_feed_lag_seconds 9\d\./m);
  for (const outcome of ['delivered', 'refused', 'failed']) {
    expect(text).toContain(`\nwebhook_attempts_total{outcome="${outcome}"} 1\n`);
  }
  for (const answer of [Promise.reject(new Error('away')), new Promise<never>(() => undefined)]) {
    read = () => answer;
    expect(await metrics.registry.metrics()).toContain('\nwebhook_deliveries_waiting 5\n');
  }
});

it('the metrics show the number of access requests that contradict their history', async () => {
  const metrics = newMetrics();
  let count = 0;
  metrics.showConsentFindings(() => count);
  expect(await metrics.registry.metrics()).toContain('\nconsent_findings 0\n');
  count = 2;
  expect(await metrics.registry.metrics()).toContain('\nconsent_findings 2\n');
});

it('the metrics show the number of stale and failed sources, even if it is zero', async () => {
  const metrics = newMetrics();
  let stopped = { live: { stale: 3, failed: 1 }, test: { stale: 2, failed: 0 } };
  metrics.showSources(async () => stopped);
  const text = await metrics.registry.metrics();
  expect(text).toContain('\nsources_stopped{environment="live",status="stale"} 3\n');
  expect(text).toContain('\nsources_stopped{environment="live",status="failed"} 1\n');
  expect(text).toContain('\nsources_stopped{environment="test",status="stale"} 2\n');
  expect(text).toContain('\nsources_stopped{environment="test",status="failed"} 0\n');
  stopped = { live: { stale: 0, failed: 1 }, test: { stale: 2, failed: 0 } };
  expect(await metrics.registry.metrics()).toContain(
    '\nsources_stopped{environment="live",status="stale"} 0\n',
  );
});

it('the metrics contain no delay of mails if the service sends no mails', async () => {
  const metrics = newMetrics();
  metrics.showBacklogs(async () => ({ webhooks: noBacklog, mails: noBacklog }), false);
  expect(await metrics.registry.metrics()).not.toContain('mails_late_seconds');
});

it('the metrics show the state from the last check of the database', async () => {
  const metrics = newMetrics();
  let health = async () => 'ok' as 'ok' | 'down';
  const pools = { requests: { used: 3, idle: 2, waiting: 1 } };
  metrics.showDatabase(
    () => ({ pools, refusalsWaiting: 4 }),
    () => health(),
  );
  const text = await metrics.registry.metrics();
  expect(text).toContain('\ndatabase_health{state="ok"} 1\n');
  expect(text).toContain('\ndatabase_health{state="down"} 0\n');
  expect(text).toContain('\ndatabase_pool_connections{pool="requests",state="waiting"} 1\n');
  expect(text).toContain('\naccess_records_waiting 4\n');
  health = async () => 'down';
  const later = await metrics.registry.metrics();
  expect(later).toContain('\ndatabase_health{state="ok"} 0\n');
  expect(later).toContain('\ndatabase_health{state="down"} 1\n');
});
