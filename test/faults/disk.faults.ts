import { execFileSync } from 'node:child_process';
import { statfsSync, writeFileSync } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, inject, test } from 'vitest';
import { killLeftovers } from '../support/processes.ts';
import { openWorld, surviveFault, type World } from './support/outage.ts';
import { canMakeClusters, startSingle } from './support/replicated.ts';
import { until } from './support/until.ts';

afterAll(killLeftovers);

const sizeMiB = 256;

/** Returns null if the user of this test may not mount a disk. */
async function mountSmallDisk(): Promise<string | null> {
  const folder = await mkdtemp(join(inject('dataFolder'), 'disk-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${sizeMiB}m`, 'tmpfs', folder], {
      stdio: 'ignore',
    });
  } catch {
    console.error('SKIPPED: a full disk: this user may not mount one');
    return null;
  }
  await chmod(folder, 0o755);
  return folder;
}

const disk = canMakeClusters ? await mountSmallDisk() : null;

describe.skipIf(disk === null)('the disk of PostgreSQL', () => {
  const folder = disk ?? '';
  const filler = join(folder, 'filler');
  let single: Awaited<ReturnType<typeof startSingle>>;
  let world: World;

  beforeAll(async () => {
    // PostgreSQL preallocates log files, so larger limits would suffice for the whole test.
    single = await startSingle({ min_wal_size: '32MB', max_wal_size: '64MB' }, folder);
    world = await openWorld({ databaseUrl: single.server.url });
  });
  afterAll(async () => {
    await world?.service.stop('SIGKILL');
    await single?.dispose();
    execFileSync('umount', ['--lazy', folder]);
  });

  test('fills up, and the service recovers after the disk has space again', async () => {
    const { server } = single;
    await surviveFault('disk full', world, {
      begin() {
        const { bavail, bsize } = statfsSync(folder);
        try {
          writeFileSync(filler, Buffer.alloc(bavail * bsize));
        } catch {
          // Other processes have used up the last bytes meanwhile.
        }
      },
      async end() {
        await rm(filler);
        if (!server.isRunning) await server.start();
        await until(() => server.query('select 1').then(() => true));
      },
    });
  });
});
