import type { GrantableScope } from '#core';
import { importLines, sampleData } from '../../support/fixtures.ts';
import type { TestService } from '../../support/service.ts';
import { signInInvestor } from '../desk.ts';

type Portfolio = Awaited<ReturnType<typeof openPortfolio>>;

/** An investor without a company, one of its people who is signed in, and a key of it. */
export async function openPortfolio(service: TestService) {
  const investor = await service.fixtures.investor();
  const { key } = await service.fixtures.key(investor);
  return { investor, key, person: await signInInvestor(service, investor.id) };
}

/** A company with data that shares it with the investor. */
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

/** An investor with a company that shares its data with it. */
export async function openShared(service: TestService, scopes?: readonly GrantableScope[]) {
  const opened = await openPortfolio(service);
  return { ...opened, ...(await addShared(service, opened, 'Alder', scopes)) };
}

/** What was read at the desk of a company, the newest first. */
export async function deskRecords({ operator }: TestService, companyId: string) {
  const { records } = await operator.listCompanyAccessRecords({ companyId, limit: 100 });
  return records.filter(({ protocol }) => protocol === 'desk');
}
