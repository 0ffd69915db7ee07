import type { GrantableScope } from '#core';
import { importLines, sampleData } from '../../support/fixtures.ts';
import type { TestService } from '../../support/service.ts';
import { signInInvestor } from '../desk.ts';

type Portfolio = Awaited<ReturnType<typeof openPortfolio>>;

export async function openPortfolio(service: TestService) {
  const investor = await service.fixtures.investor();
  const { key } = await service.fixtures.key(investor);
  return { investor, key, person: await signInInvestor(service, investor.id) };
}

export async function addShared(
  service: TestService,
  { investor, key }: Pick<Portfolio, 'investor' | 'key'>,
  name: string,
  scopes?: readonly GrantableScope[],
) {
  const company = await service.fixtures.companyOf(investor, name);
  await importLines(service.operator, sampleData(company.id));
  const { id: requestId } = await service.fixtures.request(key, company.id);
  await service.operator.approveAccessRequest({ id: requestId, ...(scopes && { scopes }) });
  return { company, requestId };
}

export async function openShared(service: TestService, scopes?: readonly GrantableScope[]) {
  const opened = await openPortfolio(service);
  return { ...opened, ...(await addShared(service, opened, 'Alder', scopes)) };
}

export async function deskRecords({ operator }: TestService, companyId: string) {
  const { records } = await operator.listCompanyAccessRecords({ companyId, limit: 100 });
  return records.filter(({ protocol }) => protocol === 'desk');
}

const aSource = (companyId: string, fields: object) => ({
  ...{ type: 'source', company_id: companyId, provider: 'ledger', account_name: 'Books' },
  ...{ status: 'connected', last_synced_at: '2026-11-01T00:00:00Z', ...fields },
});

export const failedSource = (companyId: string) => aSource(companyId, { status: 'failed' });

/** A portfolio with one company in each access status. The company's name is its status. */
export async function openStates(service: TestService) {
  const opened = await openPortfolio(service);
  const { investor, key } = opened;
  const shared = [];
  for (const name of ['On time', 'Overdue', 'Failed'])
    shared.push((await addShared(service, opened, name)).company.id);
  const [, overdue = '', failed = ''] = shared;
  await importLines(service.operator, [
    aSource(overdue, { expected_every: 'P1D', last_synced_at: '2020-01-01T00:00:00Z' }),
    failedSource(failed),
  ]);
  const revoked = await addShared(service, opened, 'Revoked');
  await service.operator.revokeAccessRequest({ id: revoked.requestId });
  const asked = await service.fixtures.companyOf(investor, 'Asked');
  await service.fixtures.request(key, asked.id);
  const never = await service.fixtures.companyOf(investor, 'Never asked');
  return { ...opened, shared, revoked: revoked.company.id, asked: asked.id, never: never.id };
}
