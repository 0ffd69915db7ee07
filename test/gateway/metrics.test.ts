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
