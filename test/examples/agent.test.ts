import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { resolve } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { killLeftovers, startProcess } from '../support/processes.ts';
import { isFull } from '../support/property-runs.ts';
import { type Demo, startDemo } from './demo.ts';

const agent = resolve(import.meta.dirname, '../../examples/agent/agent.ts');

describe('the example of an agent', () => {
  let demo: Demo;
  beforeAll(async () => {
    demo = await startDemo();
  });
  afterAll(async () => {
    killLeftovers();
    await demo?.close();
  });

  const start = (...parameters: string[]) =>
    startProcess({ KEY: demo.key, PORTFOLIO_ACCESS_URL: demo.url }, [
      process.execPath,
      agent,
      ...parameters,
    ]);

  it('is refused, requests access, waits for the approval, reads, and is refused after the revocation', async () => {
    const running = start('co_juniper');
    await running.waitFor(/^asked: /);
    await demo.decide('approve');
    await running.waitFor(/^Cash balance: €/);
    await demo.decide('revoke');
    expect((await running.exited).code).toBe(0);
    const [offered, ...told] = running.output().split('\n');
    expect(offered).toMatch(/^\d+ tools are offered to this key$/);
    expect(told.map((line) => line.replace(/€[\d,.]+, [\d-]+/, 'AMOUNT'))).toEqual([
      'read_metric is refused: access_pending',
      expect.stringMatching(/^next step: Wait for the company/),
      `asked: ${demo.pendingRequest}`,
      'the company has answered: approved',
      'Cash balance: AMOUNT',
      'read_metric is refused: access_revoked',
      '',
    ]);
  });

  it.runIf(isFull)(
    'waits for its rate limit even if the wait is longer than the timeout of a call',
    async () => {
      const waits = ['61'];
      const server = createServer(async (request, response) => {
        const body = await buffer(request);
        const wait = waits.shift();
        if (wait !== undefined) return response.writeHead(429, { 'retry-after': wait }).end();
        const { authorization = '', 'content-type': type = '', accept = '' } = request.headers;
        const headers = { authorization, 'content-type': type, accept };
        const answer = await fetch(`${demo.url}/mcp`, { method: 'POST', headers, body });
        response.writeHead(answer.status, {
          'content-type': answer.headers.get('content-type') ?? '',
        });
        return response.end(await answer.text());
      });
      await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
      const { port } = server.address() as AddressInfo;
      const environment = { KEY: demo.key, PORTFOLIO_ACCESS_URL: `http://127.0.0.1:${port}` };
      const running = startProcess(environment, [process.execPath, agent, 'co_harbor']);
      await running.waitFor(/^Cash balance: \$/);
      expect(running.output()).toMatch(/^the budget is used up: waiting 61 s\n/);
      running.child.kill();
      await running.exited;
      server.close();
    },
  );

  it('runs without a person if it asks a company of the sandbox', async () => {
    const running = start();
    expect((await running.exited).code).toBe(0);
    expect(running.output()).toContain('the company has answered: approved\nCash balance: $');
    expect(running.output()).toMatch(/read_metric is refused: access_revoked\n$/);
  });
});
