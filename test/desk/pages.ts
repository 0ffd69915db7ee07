import type { Owner } from '#core';
import { soon } from '../company/company.ts';
import type { TestService } from '../support/service.ts';
import { addReader, companyWithRequest, signInFor, signInInvestor, type Visitor } from './desk.ts';
import { addShared } from './investor/portfolios.ts';
import { furnish, furnishWebhook } from './settings.ts';

export interface ShownPage {
  readonly path: string;
  readonly status: number;
}

export interface Seen {
  readonly visitor: Visitor;
  readonly pages: readonly ShownPage[];
}

export interface Side {
  readonly owner: Owner;
  /** All pages of the company or the investor. */
  readonly admin: Seen;
  readonly viewer: Seen;
}

const shown = (...paths: string[]): ShownPage[] => paths.map((path) => ({ path, status: 200 }));

async function furnishCompany(service: TestService) {
  const made = await companyWithRequest(service);
  const { company, contact, requestId } = made;
  const reader = await addReader(service, company.id, new Date(soon()));
  for (const path of ['metrics', 'metrics/headcount', 'sources']) {
    await service.get(`/v1/companies/${company.id}/${path}`, reader.key);
  }
  const request = `/desk/requests/${requestId}`;
  const settings = await furnish(service, { companyId: company.id });
  const webhook = await furnishWebhook(service, { companyId: company.id });
  const owner = { companyId: company.id };
  const admin: Seen = {
    visitor: contact,
    pages: [
      ...shown('/desk/', '/desk/requests', request, `${request}/receipts`),
      ...shown(`/desk/requests/${reader.requestId}`, '/desk/grants', '/desk/activity'),
      { path: '/desk/activity?since=2001-02-30', status: 422 },
      ...shown('/desk/data', '/desk/data/metrics/cash_balance', '/desk/data/upload'),
      ...shown(...settings, ...webhook),
      ...shown('/desk/settings/approvals'),
      { path: '/desk/requests/ar_unknown', status: 404 },
    ],
  };
  const viewer: Seen = {
    visitor: await signInFor(service, owner, undefined, 'viewer'),
    pages: [...shown(request, '/desk/settings'), { path: '/desk/data/upload', status: 403 }],
  };
  return { made, side: { owner, admin, viewer } };
}

async function furnishInvestor(
  service: TestService,
  { investor, key, company, requestId }: Awaited<ReturnType<typeof companyWithRequest>>,
): Promise<Side> {
  const visitor = await signInInvestor(service, investor.id);
  const shared = [
    await addShared(service, { investor, key }, 'Alder'),
    await addShared(service, { investor, key }, 'Birch'),
  ].map((each) => each.company.id);
  const [first = ''] = shared;
  const { id: none } = await service.fixtures.companyOf(investor, 'Cedar');
  const answer = await service.get(`/v1/companies/${first}/metrics`, key);
  await service.get(`/v1/companies/${none}/metrics`, key);
  const compared = shared.map((id) => `company=${id}`).join('&');
  const request = `/desk/requests/${requestId}`;
  const portfolio = '/desk/portfolio';
  const settings = await furnish(service, { investorId: investor.id });
  const webhook = await furnishWebhook(service, { investorId: investor.id });
  const owner = { investorId: investor.id };
  const admin: Seen = {
    visitor,
    pages: [
      ...shown(portfolio, `${portfolio}?access=late`, `${portfolio}/${first}`),
      ...shown(`${portfolio}/${first}/metrics/cash_balance`, `${portfolio}/${company.id}`),
      ...shown(`${portfolio}/${none}`, '/desk/compare', `/desk/compare?${compared}`),
      ...shown(`/desk/compare?${compared}&scale=index`, `${portfolio}/ask?${compared}`),
      ...shown('/desk/requests', '/desk/requests?status=declined', request),
      ...shown(`${request}/withdraw`, `${request}/receipts`, '/desk/activity'),
      ...shown(`/desk/activity?request=${answer.headers['svc-request-id']}`),
      { path: '/desk/activity?since=2001-02-30', status: 422 },
      ...shown(...settings, ...webhook),
      { path: `${portfolio}/co_unknown`, status: 404 },
    ],
  };
  const [endpoint = '', enable = ''] = webhook;
  const viewer: Seen = {
    visitor: await signInFor(service, owner, undefined, 'viewer'),
    pages: [...shown(`${portfolio}/${none}`, endpoint), { path: enable, status: 403 }],
  };
  return { owner, admin, viewer };
}

/** Creates content for a company and an investor with an access request. Returns every page of the desk. */
export async function furnishBothSides(service: TestService): Promise<readonly Side[]> {
  const { made, side } = await furnishCompany(service);
  return [side, await furnishInvestor(service, made)];
}

export const openPages = shown('/desk/sign-in', '/desk/sign-in/confirm?token=svc_sl_1');
