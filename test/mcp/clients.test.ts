import { describe, expect, it } from 'vitest';
import { closedAfterAll } from '../support/closed.ts';
import { importLines, sampleData } from '../support/fixtures.ts';
import type { Json } from '../support/http-client.ts';
import { startService } from '../support/service.ts';
import { type Agent, agents } from './support.ts';

const service = await closedAfterAll(startService({ storage: { memory: true } }));

describe.each(Object.entries(agents))('the SDK’s client for MCP %s', (_revision, connect) => {
  async function within(key: string, work: (agent: Agent) => Promise<void>): Promise<void> {
    const agent = await connect(service.url, key);
    try {
      await work(agent);
    } finally {
      await agent.close();
    }
  }

  it('requests access, waits, reads all data, and gets an error after its access has ended', async () => {
    const { key, company } = await service.fixtures.portfolio();
    const companyId = company.id;
    await importLines(service.operator, sampleData(companyId));
    await within(key, async (agent) => {
      expect(agent.instructions).toMatch(/request_access/);
      const { data: listed } = await agent.callTool('list_companies');
      expect(listed.companies).toEqual([
        {
          id: companyId,
          name: company.name,
          access: 'none',
          accessPaused: false,
          accessRequestId: null,
          grant: null,
        },
      ]);
      const early = await agent.callTool('read_metrics', { companyId });
      expect(early).toMatchObject({
        isError: true,
        data: {
          error: { code: 'access_required', nextStep: expect.stringMatching(/request_access/) },
        },
      });

      const scopes = ['metrics:read', 'sources:read', 'accounts:read'];
      const asked = await agent.callTool('request_access', { companyId, scopes });
      const { outcome, accessRequest } = asked.data;
      expect([outcome, accessRequest.status]).toEqual(['created', 'pending']);
      const { id } = accessRequest;
      await service.operator.approveAccessRequest({ id });
      const became = await agent.callTool('get_access_request', { id });
      expect(became.data.accessRequest).toMatchObject({
        status: 'approved',
        approvedScopes: scopes,
      });

      const read = async (tool: string, input: object = {}) =>
        (await agent.callTool(tool, { companyId, ...input })).data;
      const { metrics } = await read('read_metrics', { keys: ['cash_balance'] });
      expect(metrics).toHaveLength(1);
      const { metric } = await read('read_metric', { key: 'cash_balance' });
      expect(metric).toEqual(metrics[0]);
      const history = await read('read_metric_history', { key: 'cash_balance' });
      expect(history.metrics.at(-1)).toEqual(metric);
      expect((await read('list_sources')).sources).not.toEqual([]);
      expect((await read('list_accounts')).accounts).not.toEqual([]);
      const { data: recorded } = await agent.callTool('list_access_records', {
        companyId,
        limit: 1,
      });
      expect(recorded.records).toMatchObject([
        { company: { id: companyId }, protocol: 'mcp', resource: 'accounts', outcome: 'allowed' },
      ]);

      const withdrawn = await agent.callTool('withdraw_access_request', { id });
      expect(withdrawn.data.accessRequest.status).toBe('expired');
      const told = await agent.callTool('get_access_request_history', { id });
      expect(told.data.history.map(({ type }: { type: string }) => type)).toEqual([
        'access_request.created',
        'access_request.approved',
        'access_request.withdrawn',
      ]);
      const receipts = await agent.callTool('list_consent_receipts', { id });
      expect(receipts.data.receipts).toHaveLength(3);
      const late = await agent.callTool('read_metrics', { companyId });
      expect(late.data.error.code).toBe('access_required');
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
    'list_access_records',
    'wait_for_decision',
  ];

  it.each(Object.entries(readingTools))(
    'gets the tools for any key, but only one scope’s tools if the key has only this scope: %s',
    async (scope, tools) => {
      const { fixtures } = service;
      const { key } = await fixtures.portfolio({ scopes: [scope as keyof typeof readingTools] });
      await within(key, async (agent) => {
        const shown = await agent.listTools();
        expect(shown.map(({ name }) => name)).toEqual([...tools, ...toolsOfAnyKey]);
      });
    },
  );

  it('gets a hint for each tool that changes something, so the host can ask its user first', async () => {
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
      expect(hints.reads).toHaveLength(13);
    });
  });

  it('gets a description and a format for each argument', async () => {
    const { key } = await service.fixtures.portfolio();
    await within(key, async (agent) => {
      for (const { name, inputSchema, outputSchema } of await agent.listTools()) {
        expect(outputSchema).toBe(undefined);
        for (const [argument, schema] of Object.entries<Json>(inputSchema.properties)) {
          const where = `${argument} of ${name}`;
          expect(schema.description, where).toMatch(/^[A-Z].*\.$|^true: /);
          // Each description contains an example, the allowed values or the number of values.
          expect(schema.description, where).toMatch(
            /, for example \S|one (or more )?of [a-z]|with this (access|status): [a-z]|from \d+ to \d+|^true: |next_?[cC]ursor/,
          );
          // The limits in the description match those in the schema.
          const [, least = '', most = ''] = /from (\d+) to (\d+)\b/.exec(schema.description) ?? [];
          const told = schema.anyOf?.[0] ?? schema;
          if (least) {
            expect(
              [told.minimum ?? told.minLength, told.maximum ?? told.maxLength].map(String),
              where,
            ).toEqual([least, most]);
          }
        }
      }
    });
  });

  it('gets the metrics of a company in at most 5 kB, and their signatures on request', async () => {
    const { company, key } = await service.fixtures.readablePortfolio();
    await importLines(service.operator, eightMetrics(company.id));
    await within(key, async (agent) => {
      const companyId = company.id;
      const { text, data } = await agent.callTool('read_metrics', { companyId });
      expect(data.metrics.length).toBeGreaterThanOrEqual(8);
      expect(text.length).toBeLessThanOrEqual(5_000);
      expect(text).not.toMatch(/signature|jwks/i);
      const { data: complete } = await agent.callTool('read_metrics', {
        companyId,
        includeSignatures: true,
      });
      expect(data.metrics).toEqual(
        complete.metrics.map(({ verification: { verified, signed }, ...metric }: Json) => ({
          ...metric,
          verification: { verified, signed },
        })),
      );
      expect(data.metrics[0].verification).toEqual({ verified: true, signed: true });
      for (const [tool, input] of [
        ['read_metrics', {}],
        ['read_metric', { key: 'cash_balance' }],
        ['read_metric_history', { key: 'cash_balance' }],
      ] as const) {
        const signaturesOf = async (wanted: object) => {
          const asked = { companyId, ...input, ...wanted };
          const { data } = await agent.callTool(tool, asked);
          const metrics: Json[] = data.metrics ?? [data.metric];
          return metrics.map(({ verification }) => verification.signature);
        };
        for (const wanted of [{}, { includeSignatures: false }])
          expect((await signaturesOf(wanted)).every((each) => each === undefined)).toBe(true);
        for (const signature of await signaturesOf({ includeSignatures: true }))
          expect(signature).toMatch(/^[\w-]+\.[\w-]+\.[\w-]{86}$/);
        // The input must be refused before a read starts, because a failed read would be an unhandled rejection.
        for (const id of [companyId, 'co_unknown']) {
          const asked = { companyId: id, ...input, includeSignatures: 'yes' };
          const wrong = await agent.callTool(tool, asked);
          expect([wrong.isError, wrong.data.error.code]).toEqual([true, 'invalid_parameter']);
          expect(wrong.data.error.message).toContain('includeSignatures');
        }
      }
    });
  });

  it('gets exactly the documented fields in each result', async () => {
    const { company, key, requestId } = await service.fixtures.asking(['metrics:read']);
    await service.operator.approveAccessRequest({ id: requestId });
    const companyId = company.id;
    const requested = { companyId, scopes: ['metrics:read'] };
    await within(key, async (agent) => {
      for (const [tool, input, fields] of [
        ['list_companies', {}, ['companies', 'hasMore', 'nextCursor']],
        ['list_access_requests', {}, ['accessRequests', 'hasMore', 'nextCursor']],
        ['request_access', requested, ['outcome', 'replayed', 'accessRequest']],
        ['list_access_records', {}, ['records', 'nextCursor']],
        [
          'list_consent_receipts',
          { id: requestId },
          ['receipts', 'nextCursor', 'awaitsSignature', 'head'],
        ],
        ['read_metric_history', { companyId, key: 'arr' }, ['metrics', 'omitted']],
        ['wait_for_decision', { id: requestId }, ['isDecided', 'accessRequest']],
      ] as const) {
        const { data } = await agent.callTool(tool, input);
        expect(Object.keys(data), tool).toEqual(fields);
      }
    });
  });

  it('waits for the decision on an access request, and gets the decided request', async () => {
    const { key, company } = await service.fixtures.portfolio();
    const { id } = await service.fixtures.request(key, company.id);
    await within(key, async (agent) => {
      const waiting = agent.callTool('wait_for_decision', { id });
      await expect.poll(() => service.eventFeed.size).toBe(1);
      await service.operator.approveAccessRequest({ id });
      expect((await waiting).data).toMatchObject({
        isDecided: true,
        accessRequest: { id, status: 'approved' },
      });
      const again = await agent.callTool('wait_for_decision', { id, timeoutSeconds: 50 });
      expect(again.data.isDecided).toBe(true);
      expect(service.eventFeed.size).toBe(0);
    });
  });

  it('gets the pending access request after its timeout, and an error if the input is invalid', async () => {
    const { key, company } = await service.fixtures.portfolio();
    const { id } = await service.fixtures.request(key, company.id);
    await within(key, async (agent) => {
      const { data } = await agent.callTool('wait_for_decision', { id, timeoutSeconds: 1 });
      expect(data).toMatchObject({ isDecided: false, accessRequest: { status: 'pending' } });
      for (const [input, code] of [
        [{ id, timeoutSeconds: 51 }, 'invalid_parameter'],
        [{ id, timeoutSeconds: 0.5 }, 'invalid_parameter'],
        [{}, 'invalid_parameter'],
        [{ id: 'ar_none' }, 'access_request_not_found'],
      ] as const) {
        const refused = await agent.callTool('wait_for_decision', input);
        expect([refused.isError, refused.data.error.code]).toEqual([true, code]);
      }
    });
  });
});

const metricKeys = [
  ...['cash_balance', 'headcount', 'arr', 'net_burn', 'gross_margin', 'accounts_payable'],
  ...['customer_count', 'revenue'],
];

function eightMetrics(companyId: string) {
  const [cash] = sampleData(companyId);
  return metricKeys.map((key) => ({ ...cash, key, label: key.replaceAll('_', ' ') }));
}
