import fc from 'fast-check';
import { expect, it } from 'vitest';
import { backends } from '../support/backends.ts';
import { expectOk } from '../support/expectations.ts';
import { isFull } from '../support/property-runs.ts';
import { startServiceOn } from '../support/service-on.ts';
import { hostileDecision } from './decisions.ts';
import { bodyMark, type HostileRequest, hostileRequest } from './requests.ts';

const atOnce = 20;
const rounds = isFull ? 510 : 50;

const environment = { RATE_LIMIT_POINTS: '1000000' };
const service = await startServiceOn(backends[0], { environment });

it('each of thousands of hostile requests gets a valid answer or an error envelope, and none gets a 500', async () => {
  const { fixtures } = service;
  const readable = await fixtures.readablePortfolio();
  const newcomer = await fixtures.companyOf(readable.investor);
  const stranger = await fixtures.portfolio({ environment: 'test' });
  const limited = await fixtures.key(readable.investor, { rateLimit: 50 });
  const asking = await fixtures.asking();
  const known = {
    keys: [
      readable.key,
      readable.key,
      readable.key,
      stranger.key,
      limited.key,
      asking.companyKey,
      `svc_sk_live_${'q'.repeat(32)}`,
    ],
    companyIds: [readable.company.id, newcomer.id, stranger.company.id, 'co_none'],
  };
  const requestIds = [asking.requestId];
  for (let count = 0; count < 20; count += 1) {
    const other = await fixtures.portfolio();
    const companyId = asking.company.id;
    await service.operator.addToPortfolio({ investorId: other.investor.id, companyId });
    requestIds.push((await fixtures.request(other.key, companyId)).id);
    const asked = await fixtures.companyOf(asking.investor);
    requestIds.push((await fixtures.request(asking.key, asked.id, ['metrics:read'])).id);
  }
  const sides = { key: asking.key, companyKey: asking.companyKey, requestIds };
  const anyRequest = fc.oneof(
    { weight: 4, arbitrary: hostileRequest(known) },
    { weight: 1, arbitrary: hostileDecision(sides) },
  );
  const statuses = new Map<number, number>();

  const send = async ({ method, path, headers, raw }: HostileRequest): Promise<void> => {
    const answer = await service.call(method, path, { headers, ...(raw !== undefined && { raw }) });
    statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
    if (answer.status >= 500 && answer.status !== 501) {
      throw new Error(`${method} ${path} → ${answer.status} ${answer.text}`);
    }
  };
  await fc.assert(
    fc.asyncProperty(
      fc.array(anyRequest, { minLength: atOnce, maxLength: atOnce }),
      async (requests) => {
        await Promise.all(requests.map(send));
      },
    ),
    { numRuns: rounds, seed: 20_260_630, endOnFailure: true },
  );

  const total = [...statuses.values()].reduce((sum, count) => sum + count, 0);
  expect(total).toBeGreaterThanOrEqual(rounds * atOnce);
  // Checks that the requests reach deep enough to be useful.
  for (const status of [
    200, 201, 204, 400, 401, 403, 404, 405, 409, 410, 413, 415, 422, 429, 501,
  ]) {
    expect(statuses.get(status) ?? 0, `answers with ${status}`).toBeGreaterThan(0);
  }

  const later = await fixtures.readablePortfolio();
  expectOk(await service.get(`/v1/companies/${later.company.id}/metrics`, later.key));
  expect(({} as Record<string, unknown>).polluted).toBeUndefined();

  const log = service.log.join('');
  expect(service.log.length).toBeGreaterThanOrEqual(rounds * atOnce);
  expect(log).not.toContain(bodyMark);
  expect(log).not.toMatch(/svc_[a-z]k_(live|test)_[0-9A-Za-z]/);
}, 300_000);
