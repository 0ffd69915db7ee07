import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { importLines, sampleData } from '../support/fixtures.ts';
import { startService, type TestService } from '../support/service.ts';
import { type Agent, agents } from './support.ts';

let service: TestService;

beforeAll(async () => {
  service = await startService({ storage: { memory: true } });
});
afterAll(() => service?.close());

describe.each(Object.entries(agents))('the SDK’s own client of %s', (_revision, connect) => {
  async function within(key: string, work: (agent: Agent) => Promise<void>): Promise<void> {
    const agent = await connect(service.url, key);
    try {
      await work(agent);
    } finally {
      await agent.close();
    }
  }

  it('asks for access, waits, reads everything, and is told when it is over', async () => {
    const { key, company } = await service.fixtures.portfolio();
    const companyId = company.id;
    await importLines(service.operator, sampleData(companyId));
    await within(key, async (agent) => {
      expect(agent.instructions).toMatch(/request_access/);
      // A client that has seen the schemas of the answers holds every answer to them.
      expect((await agent.listTools()).length).toBe(14);

      const { structuredContent: listed } = await agent.callTool('list_companies');
      expect(listed.companies).toEqual([
        { id: companyId, name: company.name, access: 'none', grant: null },
      ]);
      const early = await agent.callTool('read_metrics', { companyId });
      expect(early).toMatchObject({
        isError: true,
        structuredContent: {
          error: { code: 'access_required', nextStep: expect.stringMatching(/request_access/) },
        },
      });

      const scopes = ['metrics:read', 'sources:read', 'accounts:read'];
      const asked = await agent.callTool('request_access', { companyId, scopes });
      const { outcome, accessRequest } = asked.structuredContent;
      expect([outcome, accessRequest.status]).toEqual(['created', 'pending']);
      const { id } = accessRequest;
      await service.operator.approveAccessRequest(id, {});
      const became = await agent.callTool('get_access_request', { id });
      expect(became.structuredContent.accessRequest).toMatchObject({
        status: 'approved',
        approvedScopes: scopes,
      });

      const read = async (tool: string, input: object = {}) =>
        (await agent.callTool(tool, { companyId, ...input })).structuredContent;
      const { metrics } = await read('read_metrics', { keys: ['cash_balance'] });
      expect(metrics).toHaveLength(1);
      const { metric } = await read('read_metric', { key: 'cash_balance' });
      expect(metric).toEqual(metrics[0]);
      const history = await read('read_metric_history', { key: 'cash_balance' });
      expect(history.metrics.at(-1)).toEqual(metric);
      expect((await read('list_sources')).sources).not.toEqual([]);
      expect((await read('list_accounts')).accounts).not.toEqual([]);

      const withdrawn = await agent.callTool('withdraw_access_request', { id });
      expect(withdrawn.structuredContent.accessRequest.status).toBe('expired');
      const told = await agent.callTool('get_access_request_history', { id });
      expect(told.structuredContent.history.map(({ type }: { type: string }) => type)).toEqual([
        'access_request.created',
        'access_request.approved',
        'access_request.withdrawn',
      ]);
      const receipts = await agent.callTool('list_consent_receipts', { id });
      expect(receipts.structuredContent.receipts).toHaveLength(3);
      const late = await agent.callTool('read_metrics', { companyId });
      expect(late.structuredContent.error.code).toBe('access_required');
    });
  });

  it('reads nothing more after a revocation, and is told not to ask again by itself', async () => {
    const made = await service.fixtures.portfolio();
    const { id } = await service.fixtures.grant(made);
    await within(made.key, async (agent) => {
      const input = { companyId: made.company.id };
      expect((await agent.callTool('read_metrics', input)).isError).not.toBe(true);
      await service.operator.revokeAccessRequest(id);
      const { error } = (await agent.callTool('read_metrics', input)).structuredContent;
      expect(error).toMatchObject({
        code: 'access_revoked',
        nextStep: expect.stringMatching(/^Do not ask again by yourself/),
      });
    });
  });

  const readingTools = {
    'companies:read': ['list_companies', 'get_company'],
    'metrics:read': ['read_metrics', 'read_metric', 'read_metric_history'],
    'sources:read': ['list_sources'],
    'accounts:read': ['list_accounts'],
    'reports:read': [],
  } as const;
  const toolsOfAnyKey = [
    'request_access',
    'list_access_requests',
    'get_access_request',
    'amend_access_request',
    'withdraw_access_request',
    'get_access_request_history',
    'list_consent_receipts',
  ];

  it.each(Object.entries(readingTools))(
    'with %s alone sees the tools of that scope and no other',
    async (scope, tools) => {
      const { fixtures } = service;
      const { key } = await fixtures.portfolio({ scopes: [scope as keyof typeof readingTools] });
      await within(key, async (agent) => {
        const shown = await agent.listTools();
        expect(shown.map(({ name }) => name)).toEqual([...tools, ...toolsOfAnyKey]);
      });
    },
  );

  it('calls a tool that it was not shown, and is refused as by any other way', async () => {
    const { key, company } = await service.fixtures.portfolio({ scopes: ['companies:read'] });
    await within(key, async (agent) => {
      for (const [tool, scope] of [
        ['read_metrics', 'metrics:read'],
        ['list_sources', 'sources:read'],
        ['list_accounts', 'accounts:read'],
      ]) {
        const answer = await agent.callTool(tool ?? '', { companyId: company.id });
        expect(answer).toMatchObject({
          isError: true,
          structuredContent: {
            error: {
              code: 'insufficient_scope',
              message: `The API key lacks the scope ${scope}.`,
            },
          },
        });
      }
    });
  });

  it('is told what each tool changes, so that its host can ask first', async () => {
    const { key } = await service.fixtures.portfolio();
    await within(key, async (agent) => {
      const hints = Object.groupBy(await agent.listTools(), ({ annotations }) =>
        annotations.readOnlyHint ? 'reads' : annotations.destructiveHint ? 'gives up' : 'asks',
      );
      expect(hints.asks?.map(({ name }) => name)).toEqual([
        'request_access',
        'amend_access_request',
      ]);
      expect(hints['gives up']?.map(({ name }) => name)).toEqual(['withdraw_access_request']);
      expect(hints.reads).toHaveLength(11);
    });
  });

  it('is not let in without a key that works', async () => {
    await expect(connect(service.url, 'svc_sk_live_nobody')).rejects.toThrow(/invalid_api_key|401/);
  });

  it('leaves records that say by which way it read', async () => {
    const { key, company } = await service.fixtures.readablePortfolio();
    await within(key, async (agent) => {
      await agent.callTool('read_metric', { companyId: company.id, key: 'cash_balance' });
      const { records } = await service.operator.listCompanyAccessRecords({
        companyId: company.id,
        limit: 10,
      });
      expect(records).toMatchObject([
        { protocol: 'mcp', resource: 'metric', metricKey: 'cash_balance', outcome: 'allowed' },
      ]);
    });
  });
});
