import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { killLeftovers } from '../support/processes.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';
import { openWorld, readiness, surviveFault, type World } from './support/outage.ts';
import { canMakeClusters, ReplicatedServers } from './support/replicated.ts';
import { statusOf } from './support/traffic.ts';

afterAll(killLeftovers);

describe.skipIf(!canMakeClusters)('a database server that accepts no writes', () => {
  let servers: ReplicatedServers;
  /** The server that the proxy in front of the database connects to. */
  const target = { host: '127.0.0.1', port: 0 };
  let proxy: Awaited<ReturnType<typeof startTcpProxy>>;
  let world: World;

  beforeAll(async () => {
    servers = await ReplicatedServers.start(1, 'any standby');
    target.port = servers.primary.port;
    proxy = await startTcpProxy(target);
    const serviceUrl = servers.primary.url.replace(`:${servers.primary.port}`, `:${proxy.port}`);
    world = await openWorld({ databaseUrl: servers.primary.url, serviceUrl });
  });
  afterAll(async () => {
    await world?.service.stop('SIGKILL');
    await proxy?.close();
    await servers?.dispose();
  });

  /** Cuts all connections, and connects new ones to the server on this port. */
  function lead(port: number): void {
    proxy.cut();
    target.port = port;
    proxy.open();
  }

  const expectDown = async () => {
    const { status, body } = await readiness(world.service);
    expect({ status, database: body.database }).toEqual({ status: 503, database: 'down' });
  };

  test('makes the service refuse all reads, of data and of lists, if the server is a standby', async () => {
    await surviveFault('led to a standby', world, {
      begin: () => lead(servers.standbys[0]?.port ?? 0),
      // All kinds of reads fail together, so waiting for one kind is enough.
      isFelt: (outcome) => statusOf(outcome) === 503 && outcome.call.kind === 'requests',
      felt: 20,
      isTotal: true,
      meanwhile: expectDown,
      end: () => lead(servers.primary.port),
    });
  });

  test('makes the service refuse all writes and all reads of data if the server’s transactions are read-only', async () => {
    const { primary } = servers;
    await surviveFault('default_transaction_read_only', world, {
      begin: () => primary.set({ default_transaction_read_only: 'on' }),
      isFelt: (outcome) => statusOf(outcome) === 503 && outcome.call.kind === 'data',
      meanwhile: expectDown,
      end: () => primary.setWritable(),
    });
  });

  test('makes the service refuse all calls while the server is a standby, until it is primary again', async () => {
    const { primary: first } = servers;
    await surviveFault('demoted and promoted again', world, {
      async begin() {
        await first.stop('fast');
        await servers.failOver('the new primary');
        await first.becomeStandbyOf(servers.primary);
        await first.start();
      },
      isFelt: (outcome) => statusOf(outcome) === 503 && outcome.call.kind === 'portfolio',
      felt: 10,
      isTotal: true,
      meanwhile: expectDown,
      async end() {
        await servers.primary.stop('fast');
        await first.promote();
        // The server no longer has a standby for which commits could wait.
        await first.set({ synchronous_standby_names: '' });
      },
    });
  });
});
