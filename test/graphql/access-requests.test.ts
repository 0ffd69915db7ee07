import { expect, it } from 'vitest';
import { closedAfterAll } from '../support/closed.ts';
import { startService } from '../support/service.ts';
import { createGraphqlClient } from './support.ts';

const service = await closedAfterAll(startService({ storage: { memory: true } }));
const client = await closedAfterAll(createGraphqlClient(service.url));

const fields =
  'id status requestedScopes approvedScopes pendingScopes purpose pendingPurpose reason decidedAt expiresAt';
const instant = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

const amend = (id: string, scopes: string, rest = '') =>
  `mutation { amendAccessRequest(input: {id: "${id}", scopes: ${scopes}${rest}}) { accessRequest { ${fields} } } }`;
const withdraw = (id: string) =>
  `mutation { withdrawAccessRequest(input: {id: "${id}"}) { accessRequest { ${fields} } } }`;

it('an addition is asked for, declined with a reason, and the grant given up: the history tells it all', async () => {
  const { key, company, investor } = await service.fixtures.portfolio();
  const { id } = await service.fixtures.grant({ key, company }, ['metrics:read']);
  const granted = {
    id,
    status: 'APPROVED',
    requestedScopes: ['METRICS_READ'],
    approvedScopes: ['METRICS_READ'],
    pendingScopes: [],
    purpose: null,
    pendingPurpose: null,
    reason: null,
    decidedAt: instant,
    expiresAt: instant,
  };
  const amended = await client.ask(key, amend(id, '[ACCOUNTS_READ]', ', purpose: "The audit"'));
  expect(amended.body.data.amendAccessRequest.accessRequest).toEqual({
    ...granted,
    pendingScopes: ['ACCOUNTS_READ'],
    pendingPurpose: 'The audit',
  });
  const { version } = (await service.operator.showAccessRequest({ id })).accessRequest;
  await service.operator.declineAccessRequest({ id, reason: 'Not the accounts.', version });
  const withdrawn = await client.ask(key, withdraw(id));
  expect(withdrawn.body.data.withdrawAccessRequest.accessRequest).toEqual({
    ...granted,
    status: 'EXPIRED',
    reason: 'Not the accounts.',
  });
  expect((await client.ask(key, withdraw(id))).body).toEqual(withdrawn.body);
  const answer = await client.ask(
    key,
    `{ accessRequest(id: "${id}") {
      history { type createdAt actor { type id } reason approvedScopes expiresAt } } }`,
  );
  const byInvestor = { type: 'INVESTOR', id: investor.id };
  const byOperator = { type: 'OPERATOR', id: null };
  const event = { createdAt: instant, reason: null };
  const grant = { approvedScopes: ['METRICS_READ'], expiresAt: instant };
  expect(answer.body.data.accessRequest.history).toEqual([
    { ...event, type: 'CREATED', actor: byInvestor, approvedScopes: [], expiresAt: null },
    { ...event, ...grant, type: 'APPROVED', actor: byOperator },
    { ...event, ...grant, type: 'AMENDED', actor: byInvestor },
    {
      ...event,
      ...grant,
      type: 'AMENDMENT_DECLINED',
      actor: byOperator,
      reason: 'Not the accounts.',
    },
    { ...event, ...grant, type: 'WITHDRAWN', actor: byInvestor },
  ]);
});

it('a history of more than a hundred changes shows the newest hundred', async () => {
  const { key, company } = await service.fixtures.portfolio();
  const { id, expiresAt } = await service.fixtures.grant({ key, company });
  for (let count = 1; count <= 100; count += 1) {
    const later = new Date((expiresAt?.getTime() ?? 0) + count);
    await service.operator.extendAccessRequest({ id, expiresAt: later });
  }
  const answer = await client.ask(key, `{ accessRequest(id: "${id}") { history { type } } }`);
  expect(answer.body.data.accessRequest.history).toEqual(Array(100).fill({ type: 'EXTENDED' }));
});
