import { fork } from 'node:child_process';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { importLines, sampleData } from '../support/fixtures.ts';
import type { TestService } from '../support/service.ts';
import { compile, node, nodenext, packageOf, withoutDeclarations } from './compile.ts';
import { olderNode } from './older-node.ts';

/** Runs the tour that was compiled in the consumer's folder. */
export function describeTour(
  parts: () => { readonly folder: string; readonly service: TestService },
): void {
  describe('the tour', () => {
    interface Told {
      readonly seen: unknown;
      readonly loaded: readonly string[];
    }

    beforeAll(async () => {
      const { errors } = await compile(parts().folder, 'tour.ts', 'typescript-native', {
        ...nodenext,
        ...node,
        ...withoutDeclarations,
      });
      expect(errors).toBe('');
    });

    async function run(execPath: string, ...more: string[]): Promise<Told> {
      const { fixtures, operator } = parts().service;
      const { company, key } = await fixtures.portfolio();
      await importLines(operator, sampleData(company.id));
      const child = fork(join(parts().folder, 'run.mjs'), [parts().service.url, key, ...more], {
        execPath,
        execArgv: [],
        cwd: parts().folder,
        stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      });
      let output = '';
      child.stdout?.on('data', (text) => (output += String(text)));
      child.stderr?.on('data', (text) => (output += String(text)));
      return new Promise((done, fail) => {
        child.on('message', async (message: { what?: 'approve' | 'revoke'; id: string } & Told) => {
          if (message.what === undefined) return done(message);
          if (message.what === 'approve') await operator.approveAccessRequest({ id: message.id });
          else await operator.revokeAccessRequest({ id: message.id });
          child.send({});
        });
        child.on('exit', (code) => fail(new Error(`ended with ${code}: ${output}`)));
      });
    }

    const expected = {
      access: 'none',
      early: 'access_required',
      outcome: 'created',
      pending: 'access_pending',
      keys: ['cash_balance', 'headcount'],
      exact: '990000.25',
      asOf: '2026-10-31T23:59:59.000Z',
      currency: 'USD',
      // The signature is a compact JWS.
      signature: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]{86}$/),
      expires: true,
      periods: ['2026-09-30', '2026-10-31'],
      providers: expect.arrayContaining(['mercury', 'gusto']),
      lastFour: expect.arrayContaining(['4821', null]),
      granted: ['metrics:read', 'sources:read', 'accounts:read'],
      late: 'access_revoked',
      status: 1,
    };

    it('runs with Node’s own fetch and loads only one file of the package', async () => {
      const { seen, loaded } = await run(process.execPath);
      expect(seen).toEqual(expected);
      const files = loaded.filter((address) => address.startsWith('file:'));
      const paths = files.map((address) => new URL(address).pathname);
      const installed = paths.filter((path) => packageOf(parts().folder, path) !== null);
      expect(installed.map((path) => path.split('/node_modules/')[1])).toEqual([
        'portfolio-access-client/dist/index.js',
      ]);
      expect(
        loaded.filter((address) => !address.startsWith('file:')),
        'nothing of Node itself',
      ).toEqual([]);
    });

    it('runs without the global process object', async () => {
      expect((await run(process.execPath, 'bare')).seen).toEqual(expected);
    });

    it.skipIf(olderNode === undefined)('runs on an older Node', async () => {
      expect((await run(olderNode ?? '')).seen).toEqual(expected);
    });
  });
}
