import { describe, expect, it, vi } from 'vitest';
import { connectionLimit, watchOpenFiles } from '../../gateway/open-files.ts';

describe('the free file descriptors of a process', () => {
  it('are reported once when they run out, and once when some are available again', async () => {
    const log: string[] = [];
    const logger = { error: vi.fn(() => log.push('out')), info: vi.fn(() => log.push('back')) };
    const results = ['EMFILE', 'EMFILE', 'ENFILE', null, 'EACCES', null, 'EMFILE'];
    const done = Promise.withResolvers<void>();
    const watching = watchOpenFiles(
      logger,
      async () => {
        if (results.length === 0) return done.resolve();
        const code = results.shift();
        if (code != null) throw Object.assign(new Error('open'), { code });
      },
      1,
    );
    await done.promise;
    await watching.stop();
    expect(log).toEqual(['out', 'back', 'out', 'back']);
    expect(logger.error.mock.calls[0]).toMatchObject([{ code: 'EMFILE' }, expect.any(String)]);
  });

  it('cause no report while some are available', async () => {
    const logger = { error: vi.fn(), info: vi.fn() };
    const watching = watchOpenFiles(logger);
    await watching.stop();
    expect(logger.error).not.toHaveBeenCalled();
  });

  it('determine the connection limit, which is at least one and at most 20,000', () => {
    expect(connectionLimit()).toBeGreaterThan(0);
    expect(connectionLimit()).toBeLessThanOrEqual(20_000);
  });
});
