import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkAnswerRules } from '../support/answer-rules.ts';
import { postgres } from '../support/backends.ts';
import { grantable } from '../support/contract.ts';
import { createPostgresDatabase } from '../support/databases.ts';
import { expectOk, expectRefusal } from '../support/expectations.ts';
import { importLines, sampleData } from '../support/fixtures.ts';
import { type Answer, createHttpClient, type HttpClient } from '../support/http-client.ts';
import { type OperatorSide, openOperatorSide } from '../support/operator.ts';
import { allEvents } from '../support/operator-events.ts';
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
    // Both start together on an empty database: they must not migrate it twice.
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

  /** Retries like a client that got a temporary refusal. */
  async function post(index: number, key: string, body: unknown): Promise<Answer> {
    for (;;) {
      const answer = await clientOf(index).call('POST', path, { key, body });
      if (answer.body.error?.code !== 'request_conflict') return answer;
    }
  }

  it('200 identical concurrent requests for access create one request: one gets 201, the others get 200', async () => {
    const { company, key } = await side.fixtures.portfolio();
    const body = { company_id: company.id, scopes: ['metrics:read'] };
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, index) => post(index, key, body)),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(199);
    expect(new Set(answers.map((answer) => answer.body.id)).size).toBe(1);
    const records = await side.operator.listCompanyAccessRequests({ companyId: company.id });
    expect(records).toHaveLength(1);
    const events = (await allEvents(side.operator)).filter((event) =>
      JSON.stringify(event).includes(company.id),
    );
    expect(events).toHaveLength(1);
  });

  it('one of 200 concurrent requests for different scopes gets 201, and the others get 200 or 409', async () => {
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
    expect(await side.operator.listCompanyAccessRequests({ companyId: company.id })).toHaveLength(
      1,
    );
  });

  it('only one of 200 concurrent requests with the same idempotency key runs', async () => {
    const { company, key } = await side.fixtures.portfolio();
    const body = { company_id: company.id, scopes: ['metrics:read'] };
    const headers = { 'idempotency-key': 'all-at-once' };
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, index) =>
        clientOf(index).call('POST', path, { key, body, headers }),
      ),
    );
    const done = answers.filter(({ status }) => status === 201);
    const fresh = done.filter((answer) => !('idempotent-replayed' in answer.headers));
    expect(fresh).toHaveLength(1);
    for (const answer of answers) {
      if (answer.status !== 201) expectRefusal(answer, 'idempotency_key_in_use');
    }
    expect(await side.operator.listCompanyAccessRequests({ companyId: company.id })).toHaveLength(
      1,
    );
  });

  it('each of hundreds of approvals and revocations takes effect at once in both processes', async () => {
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

  it('each of many imports is visible at once in both processes, with a new tag', async () => {
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

  it('both processes refuse a revoked key, a removed company and a rotated key at once', async () => {
    for (let turn = 0; turn < propertyRuns(20); turn += 1) {
      const { investor, company, key, keyId } = await side.fixtures.portfolio();
      await side.fixtures.grant({ key, company });
      const other = await side.fixtures.key(investor);
      const read = `/v1/companies/${company.id}/metrics`;
      const readAll = (secret: string) =>
        Promise.all(clients.map((client) => client.call('GET', read, { key: secret })));
      for (const answer of await readAll(key)) expectOk(answer);
      await side.operator.revokeApiKey({ id: keyId });
      for (const answer of await readAll(key)) expectRefusal(answer, 'invalid_api_key');
      const successor = await side.operator.rotateApiKey({
        id: other.keyId,
        overlapMilliseconds: 0,
      });
      for (const answer of await readAll(other.key)) expectRefusal(answer, 'invalid_api_key');
      for (const answer of await readAll(successor.secret)) expectOk(answer);
      await side.operator.removeFromPortfolio({ investorId: investor.id, companyId: company.id });
      for (const answer of await readAll(successor.secret)) {
        expectRefusal(answer, 'company_not_found');
      }
    }
  });

  it('the suspension of a company or an investor takes effect at once in both processes, and so does its end', async () => {
    const { investor, company, key } = await side.fixtures.readablePortfolio();
    const { secret } = await side.operator.createCompanyKey({ companyId: company.id });
    const read = `/v1/companies/${company.id}/metrics`;
    const ask = (asked: string, of: string) =>
      Promise.all(clients.map((client) => client.call('GET', asked, { key: of })));
    for (let turn = 0; turn < propertyRuns(20); turn += 1) {
      for (const answer of await ask(read, key)) expectOk(answer);
      await side.operator.suspendInvestor({ id: investor.id });
      for (const answer of await ask(read, key)) expectRefusal(answer, 'invalid_api_key');
      await side.operator.suspendCompany({ id: company.id });
      await side.operator.resumeInvestor({ id: investor.id });
      for (const answer of await ask(read, key)) expectRefusal(answer, 'company_not_found');
      for (const answer of await ask('/v1/companies', key)) {
        expectOk(answer);
        expect(answer.body.data).toEqual([]);
      }
      for (const answer of await ask('/company/v1/access-requests', secret)) {
        expectRefusal(answer, 'invalid_api_key');
      }
      await side.operator.resumeCompany({ id: company.id });
      for (const answer of await ask('/company/v1/access-requests', secret)) expectOk(answer);
    }
  });
});
