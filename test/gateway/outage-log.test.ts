import { Writable } from 'node:stream';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { AccessError } from '#core';
import { createLogger } from '../../gateway/logs/logger.ts';
import { createOutageLog } from '../../gateway/logs/outage-log.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
});
afterEach(() => vi.useRealTimers());

function aLog() {
  const lines: Record<string, unknown>[] = [];
  const destination = new Writable({
    write(chunk, _encoding, done) {
      lines.push(JSON.parse(String(chunk)));
      done();
    },
  });
  const outages = createOutageLog();
  const logger = createLogger('info', destination, outages);
  return {
    logger,
    end: () => outages.end(logger),
    messages: () => lines.map(({ msg }) => msg),
    lines,
  };
}

const refused = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
const outage = new AccessError('service_unavailable', { cause: refused });
const away = 'PostgreSQL does not answer: calls get 503 until it does';
const back = 'PostgreSQL answers again';

it('the log has one line with the reason for an outage, and another line for its end', () => {
  const { logger, end, messages, lines } = aLog();
  end();
  for (const task of ['sweep', 'mail', 'webhooks']) logger.error({ err: outage }, `${task} failed`);
  expect(lines).toMatchObject([{ level: 50, msg: away, reason: 'connect ECONNREFUSED' }]);
  end();
  expect(messages()).toEqual([away]);
  vi.advanceTimersByTime(5_000);
  end();
  end();
  logger.warn({ err: outage }, 'sweep failed');
  expect(messages()).toEqual([away, back, away]);
});

it.each([
  ['a database that is too slow', Object.assign(new Error('too slow'), { code: '57014' })],
  ['an error without a cause', undefined],
])('the log has a line for each error that isn’t an outage: %s', (_, cause) => {
  const { logger, messages } = aLog();
  const error = new AccessError('service_unavailable', { cause });
  for (const err of [error, error, refused]) logger.error({ err }, 'it failed');
  expect(messages()).toEqual(['it failed', 'it failed', 'it failed']);
});
