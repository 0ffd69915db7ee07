import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkAnswerRules } from '../support/answer-rules.ts';
import { backends, embedded, settingsOf } from '../support/backends.ts';
import { allScopes } from '../support/contract.ts';
import { createDataDir, type DataDir } from '../support/databases.ts';
import { expectOk } from '../support/expectations.ts';
import { createHttpClient, type HttpClient } from '../support/http-client.ts';
import { type OperatorSide, openOperatorSide } from '../support/operator.ts';
import { killLeftovers, type RunningService, startServiceProcess } from '../support/processes.ts';
import { isFull } from '../support/property-runs.ts';

afterAll(killLeftovers);

const publicUrl = 'https://access.example';
const path = '/v1/access-requests';

for (const backend of backends) {
  describe.skipIf(backend.isUnreachable)(`the sandbox of a service (${backend.name})`, () => {
    let release = async (): Promise<void> => undefined;
    let environment: Record<string, string>;
    let service: RunningService;
    let side: OperatorSide;
    let client: HttpClient;
    let folder: DataDir;
    const clientOf = ({ url }: RunningService) =>
      createHttpClient(url, (answer) => checkAnswerRules(answer, publicUrl));

    beforeAll(async () => {
      folder = await createDataDir();
      const opened = await backend.open();
      release = opened.release;
      environment = { PUBLIC_URL: publicUrl, ...settingsOf(opened.storage) };
      service = await startServiceProcess(environment);
      client = clientOf(service);
      side = await openOperatorSide(environment);
    });
    afterAll(async () => {
      client?.close();
      await side?.close();
      await service?.stop();
      await release();
      await folder?.remove();
      expect(service.output()).not.toMatch(/"level":(50|60)/);
    });

    /** Creates a key of a new investor in the test environment, as an operator does. */
    async function partner(): Promise<string> {
      const investor = await side.operator.createInvestor({ name: 'P', environment: 'test' });
      const { secret } = await side.operator.createApiKey({
        investorId: investor.id,
        scopes: allScopes,
        rateLimit: 100_000,
      });
      return secret;
    }

    async function ask(key: string, companyId: string): Promise<string> {
      const body = { company_id: companyId, scopes: ['metrics:read', 'sources:read'] };
      const answer = await client.call('POST', path, { key, body });
      expectOk(answer, 201);
      return answer.body.id;
    }

    const statusOf = async (key: string, id: string) =>
      (await client.call('GET', `${path}/${id}`, { key })).body.status;

    it('lets the integration test of docs/sandbox.md run through all states', {
      // Some states last five seconds. If the machine's disk blocks that long, the program misses one.
      retry: 2,
    }, async () => {
      const page = await readFile(new URL('../../docs/sandbox.md', import.meta.url), 'utf8');
      const [, program = ''] = /^```ts sandbox\.ts\n(.*?)^```$/ms.exec(page) ?? [];
      const file = join(folder.path, 'sandbox.ts');
      await writeFile(file, program);
      const env = { PATH: process.env.PATH, URL: service.url, KEY: await partner() };
      // The second run starts with the data of the first.
      for (let run = 0; run < (backend === embedded ? 2 : 1); run += 1) {
        const { stdout } = await promisify(execFile)(process.execPath, [file], { env });
        expect(stdout).toBe('every state was seen\n');
      }
    });

    it('leaves access records like any company', async () => {
      const key = await partner();
      const id = await ask(key, 'co_test_approves');
      await expect.poll(() => statusOf(key, id)).toBe('approved');
      expectOk(await client.call('GET', '/v1/companies/co_test_approves/metrics', { key }));
      const { records } = await side.operator.listCompanyAccessRecords({
        companyId: 'co_test_approves',
        limit: 100,
      });
      expect(records.find(({ grantId }) => grantId === id)).toMatchObject({
        resource: 'metrics',
        outcome: 'allowed',
      });
    });

    if (backend === embedded) return;

    it.runIf(isFull)('continues when another process replaces a killed one', async () => {
      const second = await startServiceProcess(environment);
      const key = await partner();
      const companies = ['co_test_revokes', 'co_test_expires'];
      const ids = await Promise.all(companies.map((companyId) => ask(key, companyId)));
      for (const id of ids) await expect.poll(() => statusOf(key, id)).toBe('approved');
      await service.stop('SIGKILL');
      client.close();
      service = second;
      client = clientOf(service);
      const histories = () =>
        Promise.all(
          ids.map(async (id) => {
            const { history } = await side.operator.showAccessRequest({ id });
            return history.map(({ type, actor }) => `${type} by ${actor.type}`);
          }),
        );
      const begun = ['access_request.created by investor', 'access_request.approved by sandbox'];
      await expect.poll(histories).toEqual([
        [...begun, 'access_request.revoked by sandbox'],
        [...begun, 'access_request.expired by clock'],
      ]);
    });
  });
}
