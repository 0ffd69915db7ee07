// @module-tag full
import { cp, mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bundler, compile, node, withoutDeclarations } from '../package/compile.ts';
import { createConsumer } from '../package/consumer.ts';
import { killLeftovers, startProcess } from '../support/processes.ts';
import { type Demo, startDemo } from './demo.ts';

const repository = resolve(import.meta.dirname, '../..');

describe('the example of a service', () => {
  let folder: string;
  let demo: Demo;
  const consumers: Awaited<ReturnType<typeof createConsumer>>[] = [];

  beforeAll(async () => {
    folder = join(await mkdtemp(join(tmpdir(), 'example-')), 'service');
    await cp(join(repository, 'examples/service'), folder, {
      recursive: true,
      filter: (path) => !/node_modules|\.tgz$|\.db$/.test(path),
    });
    demo = await startDemo();
    // Follows the example's instructions, but without a registry.
    consumers.push(await createConsumer('client'), await createConsumer('verify', ['jose']));
    await mkdir(join(folder, 'node_modules/@types'), { recursive: true });
    const link = (from: string, name: string) =>
      symlink(join(from, 'node_modules', name), join(folder, 'node_modules', name));
    await link(consumers[0]?.folder ?? '', 'portfolio-access-client');
    await link(consumers[1]?.folder ?? '', 'portfolio-access-verify');
    await link(repository, '@types/node');
  });
  afterAll(async () => {
    killLeftovers();
    for (const consumer of consumers) await consumer.remove();
    await demo?.close();
    if (folder) await rm(resolve(folder, '..'), { recursive: true });
  });

  it('compiles', async () => {
    const options = { ...bundler, ...node, ...withoutDeclarations };
    const { errors } = await compile(folder, 'service.ts', 'typescript-native', options);
    expect(errors).toBe('');
  });

  it.each(['service.ts', 'service.cjs'])(
    '%s requests access, waits for the approval, and each night reads, verifies and stores data',
    async (program) => {
      const file = join(folder, `${program}.db`);
      const settings = {
        KEY: demo.key,
        PORTFOLIO_ACCESS_URL: demo.url,
        DATABASE: file,
        READ_EVERY_SECONDS: '1',
      };
      const companies = ['co_test_approves', 'co_test_declines', 'co_nobody'];
      const command = [process.execPath, join(folder, program), ...companies] as const;
      const running = startProcess(settings, command);
      await running.waitFor(/^co_test_approves 3 read, 3 new$/);
      await running.waitFor(/^co_test_declines declined .+/);
      await running.waitFor(/^co_nobody company_not_found$/);
      // The first night reads all data of companies that had already approved. Later nights read only changes.
      await running.waitFor(/^co_harbor 8 read, 8 new$/);
      await running.waitFor(/^co_test_approves 3 read, 0 new$/);
      running.child.kill();
      expect((await running.exited).code).toBe(0);
      expect(running.output()).not.toContain('NOT STORED');
      const database = new DatabaseSync(file);
      const rows = database.prepare('SELECT * FROM figures WHERE company_id = ?').all('co_harbor');
      database.close();
      const { data } = await demo.ask('GET', '/v1/companies/co_harbor/metrics');
      expect(rows.map(({ key, amount }) => [key, amount]).toSorted()).toEqual(
        data
          .map((metric: Record<string, string>) => [metric.key, metric.raw_value_text])
          .toSorted(),
      );
    },
  );
});
