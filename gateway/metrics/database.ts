import { Counter, Gauge, Histogram, type Registry } from '@prometheus-io/client';
import { type AnsweredBatch, batchNames, type DatabaseLoad, type DatabaseObserver } from '#db';
import { type DatabaseHealth, databaseHealths } from '../health.ts';
import { readWithFallback } from './last-known.ts';

const seconds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];
const sizes = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000];

export function createDatabaseMetrics(registry: Registry) {
  const registers = [registry];
  const size = new Histogram({
    name: 'database_batch_size',
    help: 'Number of reads that one statement served.',
    labelNames: ['batch'],
    buckets: sizes,
    registers,
  });
  const wait = new Histogram({
    name: 'database_batch_wait_seconds',
    help: 'Time that the first read of a batch waited until its statement was sent.',
    labelNames: ['batch'],
    buckets: seconds,
    registers,
  });
  const duration = new Histogram({
    name: 'database_batch_duration_seconds',
    help: 'Time that the statement of a batch took, including the wait for a connection.',
    labelNames: ['batch', 'result'],
    buckets: seconds,
    registers,
  });
  const overdue = new Counter({
    name: 'database_batches_overdue_total',
    help: 'Batches that were refused because the statements before them took too long.',
    labelNames: ['batch'],
    registers,
  });
  for (const batch of batchNames) overdue.inc({ batch }, 0);
  const waits = new Histogram({
    name: 'database_pool_wait_seconds',
    help: 'Time that calls waited for a connection.',
    labelNames: ['pool'],
    buckets: seconds,
    registers,
  });
  const dropped = new Counter({
    name: 'access_records_dropped_total',
    help: 'Refusals whose access records were dropped because the database has not confirmed them.',
    registers,
  });
  return {
    observer: {
      onAnswered({ name, queuedAt, sentAt, answeredAt, hasSucceeded, ...batch }: AnsweredBatch) {
        size.observe({ batch: name }, batch.size);
        wait.observe({ batch: name }, (sentAt - queuedAt) / 1000);
        const result = hasSucceeded ? 'ok' : 'failed';
        duration.observe({ batch: name, result }, (answeredAt - sentAt) / 1000);
      },
      onOverdue: ({ name }) => overdue.inc({ batch: name }),
      onWaited: (pool, milliseconds) => waits.observe({ pool }, milliseconds / 1000),
    } satisfies Partial<DatabaseObserver>,
    countDroppedRefusals: (count: number) => dropped.inc(count),
    showDatabase(load: () => DatabaseLoad, health: () => Promise<DatabaseHealth>): void {
      showLoad(registry, load);
      showHealth(registry, health);
    },
  };
}

function showLoad(registry: Registry, load: () => DatabaseLoad): void {
  new Gauge({
    name: 'database_pool_connections',
    help: 'Connections that are used or idle, and calls that wait for one.',
    labelNames: ['pool', 'state'],
    registers: [registry],
    collect() {
      for (const [pool, states] of Object.entries(load().pools)) {
        for (const [state, count] of Object.entries(states)) this.set({ pool, state }, count);
      }
    },
  });
  new Gauge({
    name: 'access_records_waiting',
    help: 'Access records of refusals that the database has not confirmed yet.',
    registers: [registry],
    collect() {
      this.set(load().refusalsWaiting);
    },
  });
}

function showHealth(registry: Registry, health: () => Promise<DatabaseHealth>): void {
  const readHealth = readWithFallback(health);
  new Gauge({
    name: 'database_health',
    help: '1 for the state of the database in /readyz; down also means that it is not writable.',
    labelNames: ['state'],
    aggregator: 'max',
    registers: [registry],
    async collect() {
      const current = (await readHealth()) ?? 'down';
      for (const state of databaseHealths) this.set({ state }, state === current ? 1 : 0);
    },
  });
}
