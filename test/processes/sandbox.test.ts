import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { backends, embedded, settingsOf } from '../support/backends.ts';
import { allScopes } from '../support/contract.ts';
import { createDataDir, type DataDir } from '../support/databases.ts';
import { openOperatorSide } from '../support/operator.ts';
import { killLeftovers, type RunningService, startServiceProcess } from '../support/processes.ts';

afterAll(killLeftovers);

for (const backend of backends) {
  describe.skipIf(backend.isUnreachable)(`the sandbox of a service (${backend.name})`, () => {
    let release = async (): Promise<void> => undefined;
    let service: RunningService;
    let folder: DataDir;
    let key: string;

    beforeAll(async () => {
      folder = await createDataDir();
      const opened = await backend.open();
      release = opened.release;
      const environment = settingsOf(opened.storage);
      service = await startServiceProcess(environment);
      const { operator, close } = await openOperatorSide(environment);
      const { id } = await operator.createInvestor({ name: 'P', environment: 'test' });
      const limits = { investorId: id, scopes: allScopes, rateLimit: 100_000 };
      key = (await operator.createApiKey(limits)).secret;
      await close();
    });
    afterAll(async () => {
      await service?.stop();
      await release();
      await folder?.remove();
      expect(service.output()).not.toMatch(/"level":(50|60)/);
    });

    it('lets the integration test in docs/sandbox.md see every state', {
      // Some states last only five seconds, so the program misses a state if the disk blocks. Then
      // the test is repeated.
      retry: 2,
    }, async () => {
      const page = await readFile(new URL('../../docs/sandbox.md', import.meta.url), 'utf8');
      const [, program = ''] = /^```ts sandbox\.ts\n(.*?)^```$/ms.exec(page) ?? [];
      const file = join(folder.path, 'sandbox.ts');
      await writeFile(file, program);
      const env = { PATH: process.env.PATH, URL: service.url, KEY: key };
      // The second run starts with the first run's data.
      for (let run = 0; run < (backend === embedded ? 2 : 1); run += 1) {
        const { stdout } = await promisify(execFile)(process.execPath, [file], { env });
        expect(stdout).toBe('all states are correct\n');
      }
    });
  });
}
