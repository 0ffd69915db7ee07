import { resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { killLeftovers, startProcess } from '../support/processes.ts';
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

  it('is refused, asks, waits until the company approves, reads, and is refused after the revocation', async () => {
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

  it('goes through it without a person, with a company of the sandbox', async () => {
    const running = start();
    expect((await running.exited).code).toBe(0);
    expect(running.output()).toContain('the company has answered: approved\nCash balance: $');
    expect(running.output()).toMatch(/read_metric is refused: access_revoked\n$/);
  });
});
