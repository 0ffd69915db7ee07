import { execFile } from 'node:child_process';
import { Writable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { createLogger } from '../../gateway/logs/logger.ts';
import { describeEachDatabase } from '../support/databases.ts';

function logOf(error: unknown): { text: string; err: Record<string, unknown> } {
  let text = '';
  const destination = new Writable({
    write(chunk, _encoding, done) {
      text += String(chunk);
      done();
    },
  });
  createLogger('info', destination).error({ err: error }, 'unexpected error');
  return { text, err: JSON.parse(text).err };
}

describe('an error in the log', () => {
  it('keeps its message, stack and cause', () => {
    const cause = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
    const { err } = logOf(new Error('the sweep failed', { cause }));
    expect(err).toMatchObject({
      type: 'Error',
      message: 'the sweep failed',
      stack: expect.stringContaining('logger.database.test.ts'),
      cause: { message: 'connect ECONNREFUSED', code: 'ECONNREFUSED' },
    });
  });

  it.each(['22P02', '23505', '23514'])(
    'doesn’t quote a value that the database refused: %s',
    (code) => {
      const cause = Object.assign(new Error('invalid input: "SECRET-VALUE"'), { code });
      const { text, err } = logOf(
        Object.assign(new Error('insert - SECRET-VALUE', { cause }), { code }),
      );
      expect(text).not.toContain('SECRET-VALUE');
      expect(err).toMatchObject({ code, message: 'the database refused a value' });
    },
  );

  it('doesn’t quote a thrown value that isn’t an error', () => {
    expect(logOf('secret text').text).not.toContain('secret');
  });
});

describe('the lines of several processes that write into one pipe', () => {
  const module = pathToFileURL('gateway/logs/logger.ts').href;
  const script = `
    import { createLogger } from ${JSON.stringify(module)};
    const logger = createLogger('info');
    process.on('uncaughtException', (error) => {
      logger.fatal({ err: error }, 'the end');
      process.exit(1);
    });
    for (let line = 0; line < 500; line += 1) {
      if (line % 100 === 0) await new Promise((done) => setImmediate(done));
      logger.info({ line, text: '…'.repeat(line) }, 'line');
    }
    throw new Error('unexpected error');`;
  const node = `"$NODE" --input-type=module --eval "$SCRIPT"`;

  it('stay whole and in order, and no line is lost if the processes end with an error', async () => {
    const { stdout } = await promisify(execFile)('sh', ['-c', `(${node} & ${node} & wait) | cat`], {
      env: { ...process.env, NODE: process.execPath, SCRIPT: script },
      maxBuffer: 64 * 1024 * 1024,
    });
    const lines = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    const processes = Object.values(Object.groupBy(lines, ({ pid }) => pid));
    expect(processes).toHaveLength(2);
    for (const written of processes) {
      expect(written?.map(({ line, msg }) => line ?? msg)).toEqual([
        ...Array.from({ length: 500 }, (_, line) => line),
        'the end',
      ]);
    }
  });
});

await describeEachDatabase('an error of the database in the log', (open) => {
  it('contains the name of the violated constraint, but no value of the row', async () => {
    const { directory } = (await open()).repositories;
    const investor = {
      id: 'inv_logged',
      name: 'SECRET-NAME',
      environment: 'nowhere' as 'live',
      createdAt: new Date(),
      suspendedAt: null,
    };
    const failure = await directory.addInvestor(investor, [], []).then(
      () => null,
      (error: unknown) => error,
    );
    const { text } = logOf(failure);
    expect(text).toContain('investor_environment_known');
    expect(text).not.toContain('SECRET-NAME');
  });
});
