import { Writable } from 'node:stream';
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
  createLogger('info', destination).error({ err: error }, 'unforeseen');
  return { text, err: JSON.parse(text).err };
}

describe('an error in the log', () => {
  it('keeps what and where it was, and its cause', () => {
    const cause = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
    const { err } = logOf(new Error('the sweep failed', { cause }));
    expect(err).toMatchObject({
      type: 'Error',
      message: 'the sweep failed',
      stack: expect.stringContaining('logger.test.ts'),
      cause: { message: 'connect ECONNREFUSED', code: 'ECONNREFUSED' },
    });
  });

  it.each(['22P02', '23505', '23514'])('quotes no value that a database refused: %s', (code) => {
    const cause = Object.assign(new Error('invalid input: "SECRET-VALUE"'), { code });
    const { text, err } = logOf(
      Object.assign(new Error('insert - SECRET-VALUE', { cause }), { code }),
    );
    expect(text).not.toContain('SECRET-VALUE');
    expect(err).toMatchObject({ code, message: 'the database refused a value' });
  });

  it('survives what is no error at all', () => {
    expect(logOf('secret text').text).not.toContain('secret');
  });
});

await describeEachDatabase('an error of the database in the log', (open) => {
  it('names the constraint and nothing of the row', async () => {
    const { directory } = (await open()).repositories;
    const investor = {
      id: 'inv_logged',
      name: 'SECRET-NAME',
      environment: 'nowhere' as 'live',
      createdAt: new Date(),
    };
    const failure = await directory.addInvestor(investor).then(
      () => null,
      (error: unknown) => error,
    );
    const { text } = logOf(failure);
    expect(text).toContain('investor_environment_known');
    expect(text).not.toContain('SECRET-NAME');
  });
});
