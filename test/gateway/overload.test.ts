// @module-tag full
import { expect, onTestFinished, test } from 'vitest';
import { expectOk, expectRefusal } from '../support/expectations.ts';
import { type Answer, createHttpClient } from '../support/http-client.ts';
import { startService } from '../support/service.ts';

function blockEventLoop(milliseconds: number): void {
  const end = performance.now() + milliseconds;
  while (performance.now() < end);
}

test('an overloaded service refuses callers with many requests in progress, but serves all others', async () => {
  const service = await startService({
    storage: { memory: true },
    interpose: (useCases) => ({
      ...useCases,
      async *walkAccessRequests(...given) {
        blockEventLoop(900);
        yield* useCases.walkAccessRequests(...given);
        return undefined;
      },
    }),
  });
  const client = createHttpClient(service.url, service.check, 64);
  onTestFinished(async () => {
    client.close();
    await service.close();
  });
  const busy = await service.fixtures.portfolio({ rateLimit: 10_000 });
  const quiet = await service.fixtures.readablePortfolio();
  const begun: Promise<Answer>[] = [];
  let refused: Answer | undefined;
  for (let round = 0; refused === undefined && round < 50; round += 1) {
    for (let count = 0; count < 24; count += 1)
      begun.push(client.call('GET', '/v1/access-requests', { key: busy.key }));
    const answers = await Promise.race([
      Promise.all(begun),
      Promise.race(begun.slice(-24)).then((one) => [one]),
    ]);
    refused = answers.find(({ status }) => status === 503);
  }
  expectRefusal(refused ?? expect.unreachable(), 'service_unavailable');
  expect(refused?.headers['retry-after']).toBe('1');
  expectOk(await service.get(`/v1/companies/${quiet.company.id}/metrics`, quiet.key));
  // A request that arrives while the event loop is blocked may time out with the status 408.
  for (const { status } of await Promise.all(begun)) expect([200, 408, 503]).toContain(status);
});
