import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectOk, expectRefusal } from '../support/expectations.ts';
import { type Answer, createHttpClient } from '../support/http-client.ts';
import { startService, type TestService } from '../support/service.ts';

describe('a service that has more to do than it can', () => {
  const released = Promise.withResolvers<void>();
  let service: TestService;

  beforeAll(async () => {
    service = await startService({
      storage: { memory: true },
      interpose: (useCases) => ({
        ...useCases,
        async *walkAccessRequests(...asked) {
          await released.promise;
          yield* useCases.walkAccessRequests(...asked);
          return undefined;
        },
      }),
    });
  });
  afterAll(async () => {
    released.resolve();
    await service.close();
  });

  test('soon refuses callers that have their share under way, answers the others, and loses nothing that it began', async () => {
    const { fixtures, get } = service;
    const client = createHttpClient(service.url, service.check, 256);
    const busy = await Promise.all(Array.from({ length: 3 }, () => fixtures.portfolio()));
    const quiet = await fixtures.readablePortfolio();
    const answers: Answer[] = [];
    const begun: Promise<unknown>[] = [];
    const ask = ({ key }: { readonly key: string }) =>
      begun.push(
        client.call('GET', '/v1/access-requests', { key }).then((answer) => answers.push(answer)),
      );
    for (const caller of busy) for (let count = 0; count < 30; count += 1) ask(caller);
    await expect
      .poll(
        () => {
          ask(busy[0] as (typeof busy)[number]);
          return answers.length;
        },
        { interval: 100 },
      )
      .toBeGreaterThan(0);
    expectOk(await get(`/v1/companies/${quiet.company.id}/metrics`, quiet.key));

    released.resolve();
    await Promise.all(begun);
    const [served, refused] = [200, 503].map((code) =>
      answers.filter((one) => one.status === code),
    );
    expect(served?.length).toBeGreaterThanOrEqual(64);
    expect(served?.length).toBe(begun.length - (refused?.length ?? 0));
    for (const answer of refused ?? []) {
      expectRefusal(answer, 'service_unavailable');
      expect(answer.headers['retry-after']).toBe('1');
    }
    client.close();
  });
});
