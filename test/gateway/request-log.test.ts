import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startService, type TestService } from '../support/service.ts';

const info = 30;
const debug = 20;

describe('the log line of a request', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startService({ storage: { memory: true } });
  });
  afterAll(() => service?.close());

  async function levelsOf(path: string): Promise<number[]> {
    await service.get(path);
    const requests = () =>
      service.log
        .flatMap((text) => text.trim().split('\n'))
        .map((line) => JSON.parse(line))
        .filter((line) => line.msg === 'request' && line.path === path);
    // The service writes the line only after the client has received the answer.
    await expect.poll(() => requests().length).toBe(1);
    return requests().map(({ level }) => level);
  }

  it.each(['/healthz', '/readyz'])('has the level debug for a health check: %s', async (path) => {
    expect(await levelsOf(path)).toEqual([debug]);
  });

  it.each(['/docs', '/v1/companies', '/nothing'])(
    'has the level info for a path that isn’t a health check: %s',
    async (path) => {
      expect(await levelsOf(path)).toEqual([info]);
    },
  );
});
