import { expect, it } from 'vitest';
import { createMetrics, serveMetrics } from '../../gateway/metrics.ts';
import { findFreePort } from '../support/redis.ts';

it('the metrics count the refusals whose records were dropped', async () => {
  const metrics = createMetrics(() => 'process');
  const port = await findFreePort();
  const close = await serveMetrics({ metricsHost: '127.0.0.1', metricsPort: port }, () =>
    metrics.registry.metrics(),
  );
  const read = async () => (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  expect(await read()).toContain('\naccess_records_dropped_total 0\n');
  metrics.countDroppedRefusals(3);
  metrics.countDroppedRefusals(4);
  expect(await read()).toContain('\naccess_records_dropped_total 7\n');
  await close();
});

it('the metrics tell how webhooks fare, also while the database is away', async () => {
  const metrics = createMetrics(() => 'process');
  let count = async () => 5;
  metrics.showWaitingWebhooks(() => count());
  metrics.countWebhook({ status: 204, retryAfterSeconds: null });
  metrics.countWebhook({ status: 302, retryAfterSeconds: null });
  metrics.countWebhook({ failure: 'timeout' });
  const read = () => metrics.registry.metrics();
  expect(await read()).toContain('\nwebhook_deliveries_waiting 5\n');
  count = async () => {
    throw new Error('the database is away');
  };
  const text = await read();
  expect(text).toContain('\nwebhook_deliveries_waiting 5\n');
  for (const outcome of ['delivered', 'refused', 'failed']) {
    expect(text).toContain(`\nwebhook_attempts_total{outcome="${outcome}"} 1\n`);
  }
});
