import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkAnswerRules } from '../support/answer-rules.ts';
import { postgres } from '../support/backends.ts';
import { grantable, type RefusalCode } from '../support/contract.ts';
import { createPostgresDatabase } from '../support/databases.ts';
import { expectOk, expectRefusal } from '../support/expectations.ts';
import { importLines, sampleData } from '../support/fixtures.ts';
import { type Answer, createHttpClient, type HttpClient } from '../support/http-client.ts';
import { type OperatorSide, openOperatorSide } from '../support/operator.ts';
import { type RunningService, startServiceProcess } from '../support/processes.ts';
import { isFull, propertyRuns } from '../support/property-runs.ts';

const publicUrl = 'https://access.example';
const path = '/v1/access-requests';

describe.skipIf(postgres.isUnreachable)(`two processes (${postgres.name})`, () => {
  let side: OperatorSide;
  let release: () => Promise<void>;
  const services: RunningService[] = [];
  const clients: HttpClient[] = [];

  beforeAll(async () => {
    const empty = await createPostgresDatabase();
    release = empty.drop;
    const environment = {
      DATABASE_URL: empty.url,
      PUBLIC_URL: publicUrl,
      RATE_LIMIT_POINTS: '1000000',
    };
    // Both processes start together on an empty database, and must not both migrate it.
    services.push(
      ...(await Promise.all([startServiceProcess(environment), startServiceProcess(environment)])),
    );
    for (const { url } of services) {
      clients.push(createHttpClient(url, (answer) => checkAnswerRules(answer, publicUrl), 100));
    }
    side = await openOperatorSide(environment);
  });
  afterAll(async () => {
    for (const client of clients) client.close();
    await side?.close();
    const exits = await Promise.all(services.map((service) => service.stop()));
    await release?.();
    expect(exits).toEqual(services.map(() => ({ code: 0, signal: null })));
    for (const service of services) {
      expect(service.output()).not.toMatch(/svc_sk_(live|test)_[0-9A-Za-z]/);
      expect(service.output()).not.toMatch(/"level":(50|60)/);
    }
  });

  const clientOf = (index: number) => clients[index % clients.length] as HttpClient;

  /** Sends the access request again after a temporary refusal, as a client does. */
  async function post(index: number, key: string, body: unknown): Promise<Answer> {
    for (;;) {
      const answer = await clientOf(index).call('POST', path, { key, body });
      if (answer.body.error?.code !== 'request_conflict') return answer;
    }
  }

  it('create one access request from 200 simultaneous calls: one gets 201, the others get 200 or 409', async () => {
    const { company, key } = await side.fixtures.portfolio();
    const wishes = [
      ...grantable.map((scope) => [scope]),
      ['metrics:read', 'accounts:read'],
      ['sources:read', 'metrics:read'],
      [...grantable],
    ];
    const asked = Array.from({ length: 200 }, (_, index) => wishes[index % wishes.length] ?? []);
    const answers = await Promise.all(
      asked.map((scopes, index) => post(index >> 1, key, { company_id: company.id, scopes })),
    );
    const created = answers.filter(({ status }) => status === 201);
    expect(created).toHaveLength(1);
    const held: string[] = created[0]?.body.requested_scopes;
    for (const [index, answer] of answers.entries()) {
      if (answer.status === 201) continue;
      const isCovered = asked[index]?.every((scope) => held.includes(scope));
      if (isCovered) expectOk(answer);
      else expectRefusal(answer, 'scope_conflict');
    }
    const listed = await side.operator.listCompanyAccessRequests({ companyId: company.id });
    expect(listed).toHaveLength(1);
  });

  it('apply each of hundreds of approvals and revocations immediately', async () => {
    const turns = isFull ? 1000 : 100;
    const lanes = 10;
    const wrong: string[] = [];
    let reads = 0;
    const expectRead = async (index: number, read: string, key: string, expected: string) => {
      const { status, body } = await clientOf(index).call('GET', read, { key });
      reads += 1;
      const told = status === 200 ? 'allowed' : body.error.code;
      if (told !== expected) wrong.push(`${told} instead of ${expected}`);
    };
    const lane = async (): Promise<void> => {
      const { company, key } = await side.fixtures.portfolio();
      const read = `/v1/companies/${company.id}/metrics`;
      for (let turn = 0; turn < turns / lanes; turn += 1) {
        const { id } = await side.fixtures.request(key, company.id, ['metrics:read']);
        await side.operator.approveAccessRequest({ id });
        await Promise.all([0, 1].map((index) => expectRead(index, read, key, 'allowed')));
        await side.operator.revokeAccessRequest({ id });
        await Promise.all([0, 1].map((index) => expectRead(index, read, key, 'access_revoked')));
      }
    };
    await Promise.all(Array.from({ length: lanes }, lane));
    expect(wrong).toEqual([]);
    expect(reads).toBe(turns * 4);
  });

  it('show the data of each of many imports immediately, with a new ETag', async () => {
    const { company, key } = await side.fixtures.readablePortfolio();
    const read = `/v1/companies/${company.id}/metrics`;
    const readOnBoth = () =>
      Promise.all(clients.map((client) => client.call('GET', read, { key })));
    const turns = propertyRuns(50);
    const tags = new Set<unknown>();
    for (let turn = 1; turn <= turns; turn += 1) {
      await importLines(
        side.operator,
        sampleData(company.id).map((line) =>
          'raw_value' in line ? { ...line, raw_value: turn } : line,
        ),
      );
      const answers = await readOnBoth();
      for (const answer of answers) expectOk(answer);
      expect(answers.map(({ body }) => body.data[0].raw_value)).toEqual([turn, turn]);
      for (const { headers } of answers) tags.add(headers.etag);
    }
    expect(tags.size).toBe(turns);
  });

  it('apply narrower terms and a pause immediately, although both have cached the data', async () => {
    for (let turn = 0; turn < propertyRuns(20); turn += 1) {
      const made = await side.fixtures.portfolio();
      const { company, key } = made;
      await importLines(side.operator, sampleData(company.id));
      const { id } = await side.fixtures.grant(made);
      const { key: companyKey } = await side.fixtures.companyKey(company.id);
      const [one, other] = [clientOf(turn), clientOf(turn + 1)];
      const read = (client: HttpClient, more = '') =>
        client.call('GET', `/v1/companies/${company.id}/metrics${more}`, { key });
      const act = async (client: HttpClient, name: string, body?: object) =>
        expectOk(
          await client.call('POST', `/company/v1/access-requests/${id}/${name}`, {
            key: companyKey,
            ...(body && { body }),
          }),
        );
      const keysOf = ({ body }: Answer) => body.data.map((metric: { key: string }) => metric.key);
      for (const client of [one, other]) {
        expect(keysOf(await read(client))).toEqual(['cash_balance', 'headcount']);
      }
      await act(one, 'narrow', { terms: { metric_keys: ['headcount'] } });
      expect(keysOf(await read(other))).toEqual(['headcount']);
      expectRefusal(await read(other, '/cash_balance'), 'access_required');
      await act(one, 'pause');
      expectRefusal(await read(other), 'access_paused');
      await act(one, 'resume');
      expect(keysOf(await read(other))).toEqual(['headcount']);
    }
  });

  it('refuse reads immediately after a key is revoked or rotated, a company is removed or an owner is suspended', async () => {
    for (let turn = 0; turn < propertyRuns(20); turn += 1) {
      const { investor, company, key, keyId } = await side.fixtures.readablePortfolio();
      const other = await side.fixtures.key(investor);
      const { operator } = side;
      const read = (secret: string) =>
        Promise.all(
          clients.map((client) =>
            client.call('GET', `/v1/companies/${company.id}/metrics`, { key: secret }),
          ),
        );
      const expectAll = async (secret: string, code?: RefusalCode) => {
        for (const answer of await read(secret)) {
          if (code === undefined) expectOk(answer);
          else expectRefusal(answer, code);
        }
      };
      await expectAll(key);
      await operator.revokeApiKey({ id: keyId });
      await expectAll(key, 'invalid_api_key');
      const { secret } = await operator.rotateApiKey({ id: other.keyId, overlapMilliseconds: 0 });
      await expectAll(other.key, 'invalid_api_key');
      await expectAll(secret);
      await operator.suspendInvestor({ id: investor.id });
      await expectAll(secret, 'invalid_api_key');
      await operator.resumeInvestor({ id: investor.id });
      await expectAll(secret);
      await operator.suspendCompany({ id: company.id });
      await expectAll(secret, 'company_not_found');
      await operator.resumeCompany({ id: company.id });
      await operator.removeFromPortfolio({ investorId: investor.id, companyId: company.id });
      await expectAll(secret, 'company_not_found');
    }
  });
});
