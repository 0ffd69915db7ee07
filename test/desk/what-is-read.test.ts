import fc from 'fast-check';
import { expect, it } from 'vitest';
import { AccessError, type GrantableScope, grantableScopes } from '#core';
import { en } from '../../desk/messages/en.ts';
import { importLines, sampleData } from '../support/fixtures.ts';
import { propertyRuns } from '../support/property-runs.ts';
import type { TestService } from '../support/service.ts';
import {
  aValue,
  describeDesk,
  plain,
  rowsOf,
  type Seen,
  signIn,
  signInInvestor,
  type Visitor,
} from './desk.ts';

const day = 86_400_000;
const start = Date.parse('2026-11-02T09:30:00Z');
let now = new Date(start);

type Step =
  | { readonly do: 'ask' | 'amend' | 'approve'; readonly scopes: readonly GrantableScope[] }
  | { readonly do: 'wait'; readonly days: number }
  | { readonly do: 'decline' | 'revoke' | 'withdraw' | 'sweep' }
  | { readonly do: 'leave' | 'join' | 'suspend' | 'resume' | 'close' | 'open' }
  | { readonly do: 'push' | 'void'; readonly period: string };

const someScopes = fc.subarray([...grantableScopes], { minLength: 1 });
const scoped = (name: 'ask' | 'amend' | 'approve') =>
  someScopes.map((scopes): Step => ({ do: name, scopes }));
const plainStep = fc.constantFrom(
  ...(['decline', 'revoke', 'withdraw', 'sweep'] as const),
  ...(['leave', 'join', 'suspend', 'resume', 'close', 'open'] as const),
);

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    { arbitrary: scoped('ask'), weight: 4 },
    { arbitrary: scoped('approve'), weight: 6 },
    { arbitrary: scoped('amend'), weight: 3 },
    { arbitrary: plainStep.map((name): Step => ({ do: name })), weight: 4 },
    {
      arbitrary: fc.record({
        do: fc.constantFrom('push' as const, 'void' as const),
        period: fc.constantFrom('2026-09-30', '2026-10-31', '2026-11-30'),
      }),
      weight: 3,
    },
    {
      arbitrary: fc.integer({ min: 1, max: 400 }).map((days): Step => ({ do: 'wait', days })),
      weight: 1,
    },
  ),
  { minLength: 2, maxLength: 12 },
);

interface Suspended {
  readonly id: string;
  readonly suspendedAt: Date | null;
}

async function openPair(service: TestService) {
  const made = await service.fixtures.portfolio();
  await importLines(service.operator, sampleData(made.company.id));
  const values = new Set(['2026-08-31', '2026-09-30', '2026-10-31']);
  return { ...made, requestIds: [] as string[], values };
}

type Pair = Awaited<ReturnType<typeof openPair>>;

/** If the rules reject the step, nothing changes. */
async function take(service: TestService, pair: Pair, step: Step): Promise<void> {
  const { operator, background } = service;
  const { key, investor, company } = pair;
  const membership = { investorId: investor.id, companyId: company.id };
  const id = pair.requestIds.at(-1) ?? 'ar_0';
  const own = `/v1/access-requests/${id}`;
  const version = () =>
    operator.showAccessRequest({ id }).then(({ accessRequest }) => accessRequest.version);
  switch (step.do) {
    case 'ask': {
      const asked = { company_id: company.id, scopes: step.scopes };
      const { status, body } = await service.post('/v1/access-requests', key, asked);
      if (status === 201) pair.requestIds.push(body.id);
      return;
    }
    case 'amend':
      await service.call('PATCH', own, { key, body: { scopes: step.scopes } });
      return;
    case 'withdraw':
      await service.call('DELETE', own, { key });
      return;
    case 'wait':
      now = new Date(now.getTime() + step.days * day);
      return;
    case 'sweep':
      await background.expireAccessRequests();
      return;
    case 'approve':
      await operator.approveAccessRequest({ id, version: await version(), scopes: step.scopes });
      return;
    case 'decline':
      await operator.declineAccessRequest({ id, version: await version() });
      return;
    case 'revoke':
      await operator.revokeAccessRequest({ id });
      return;
    case 'leave':
      await operator.removeFromPortfolio(membership);
      return;
    case 'join':
      await operator.addToPortfolio(membership);
      return;
    case 'suspend':
      await operator.suspendInvestor({ id: investor.id });
      return;
    case 'resume':
      await operator.resumeInvestor({ id: investor.id });
      return;
    case 'close':
      await operator.suspendCompany({ id: company.id });
      return;
    case 'open':
      await operator.resumeCompany({ id: company.id });
      return;
    default:
      await changeData(service, pair, step);
  }
}

async function changeData(
  { operator }: TestService,
  { company, values }: Pair,
  { do: act, period }: Extract<Step, { readonly period: string }>,
): Promise<void> {
  const place = { company_id: company.id, key: 'cash_balance', period };
  if (act === 'push') {
    const raw_value = 1_000_000 + values.size;
    await importLines(operator, [aValue(company.id, { ...place, raw_value, currency: 'USD' })]);
    values.add(period);
  } else if (values.delete(period)) {
    await importLines(operator, [{ type: 'void', ...place, reason: 'Wrong' }]);
  }
}

const pathOf: Readonly<Record<GrantableScope, string>> = {
  'metrics:read': 'metrics',
  'accounts:read': 'accounts',
  'sources:read': 'sources',
};

/** The scopes that the investor can read through the API. */
async function readOf(service: TestService, { key, company }: Pair): Promise<string[]> {
  const answers = await Promise.all(
    grantableScopes.map(async (scope) => {
      const { status } = await service.get(`/v1/companies/${company.id}/${pathOf[scope]}`, key);
      return status === 200 ? [en.scopes[scope].name] : [];
    }),
  );
  return answers.flat();
}

/** The text at the start of a page's row for an item of the API. */
const textsOf: Readonly<
  Record<GrantableScope, (item: Readonly<Record<string, string>>) => string>
> = {
  'metrics:read': ({ label, value, period }) => `${label} ${value} ${period}`,
  'accounts:read': ({ name, last_four, balance }) =>
    [name, last_four ? `… ${last_four}` : [], balance].flat().join(' '),
  'sources:read': ({ provider, account_name }) => `${provider} ${account_name}`,
};

/** The figures, accounts and sources that the investor can read through the API, as texts. */
async function thingsOf(service: TestService, { key, company }: Pair): Promise<string[]> {
  const answers = await Promise.all(
    grantableScopes.map(async (scope) => {
      const path = `/v1/companies/${company.id}/${pathOf[scope]}`;
      const { status, body } = await service.get(path, key);
      return status === 200 ? body.data.map(textsOf[scope]) : [];
    }),
  );
  return answers.flat();
}

const namesIn = (markup = ''): string[] => {
  const text = plain(markup);
  if (text.includes(en.figures.portfolio.everything)) {
    return grantableScopes.map((scope) => en.scopes[scope].name);
  }
  return grantableScopes
    .map((scope) => en.scopes[scope].name)
    .filter((name) => text.includes(name));
};

const cellsOf = ({ text }: Seen) =>
  [...text.matchAll(/<tr[^>]*><th scope="row".*?<\/tr>/gs)].map(
    ([row]) =>
      new Map(
        [...row.matchAll(/data-label="([^"]*)">(.*?)<\/td>/gs)].map(([, name, cell]) => [
          name,
          cell ?? '',
        ]),
      ),
  );

/** The scopes that each row shows as granted, without requested additions. */
const granted = (page: Seen, column: string, status?: string): string[] =>
  cellsOf(page)
    .filter((cells) => status === undefined || plain(cells.get(en.status) ?? '') === status)
    .flatMap((cells) => namesIn(cells.get(column)?.replace(/(<br>)?<(span|a)[^>]*>.*/s, '')));

const factOf = ({ text }: Seen, name: string) =>
  [...text.matchAll(/<dt>([^<]*)<\/dt><dd>(.*?)<\/dd>/gs)].find(([, dt]) => dt === name)?.[2];

const sectionIn = ({ text }: Seen, heading: string): string => {
  const section = [...text.matchAll(/<section[^>]*><h2[^>]*>([^<]*)<\/h2>(.*?)<\/section>/gs)];
  const [, , content = ''] = section.find(([, title]) => title === heading) ?? [];
  return content;
};

const previewsIn = (page: Seen, heading: string): string[] =>
  [...sectionIn(page, heading).matchAll(/<summary><strong>([^<]*)</g)]
    .map(([, name = '']) => name)
    .sort();

const requestPages = (visitor: Visitor, ids: readonly string[]): Promise<Seen[]> =>
  Promise.all(ids.map((id) => visitor.get(`/desk/requests/${id}`)));

/** The comparison page offers only companies whose metrics it may read. */
async function mayCompare(visitor: Visitor, { company }: Pair): Promise<boolean> {
  const { text } = await visitor.get('/desk/compare');
  return text.includes(`name="company" value="${company.id}"`);
}

/** The data that the company's pages show as readable by the investor. */
async function toldToCompany(visitor: Visitor, ids: readonly string[]) {
  const pages = await requestPages(visitor, ids);
  return {
    'request pages': pages.flatMap((page) => previewsIn(page, en.request.reads)),
    requests: granted(await visitor.get('/desk/requests'), en.what, en.statuses.approved),
    grants: granted(await visitor.get('/desk/grants'), en.grants.mayRead),
  };
}

async function toldToInvestor(visitor: Visitor, { company, requestIds }: Pair) {
  const words = en.ownRequests;
  const pages = await Promise.all(requestIds.map((id) => visitor.get(`/desk/requests/${id}`)));
  const portfolio = await visitor.get('/desk/portfolio');
  const [, row = ''] = /<div data-part="[^"]*"[^>]*>(.*?)<\/div>/s.exec(portfolio.text) ?? [];
  const page = await visitor.get(`/desk/portfolio/${company.id}`);
  return {
    'request pages': pages.flatMap((each) => namesIn(factOf(each, words.request.reads))),
    requests: granted(
      await visitor.get('/desk/requests'),
      en.what,
      words.requests.statuses.approved,
    ),
    portfolio: namesIn(row),
    company: namesIn(factOf(page, en.what)),
  };
}

describeDesk(
  'the scopes that pages show as readable',
  (given) => {
    it('are those that the API allows, after any sequence of changes', async () => {
      await fc.assert(
        fc.asyncProperty(steps, async (history) => {
          now = new Date(start);
          const service = given();
          const pair = await openPair(service);
          for (const step of history) {
            await take(service, pair, step).catch((error) => {
              if (!(error instanceof AccessError)) throw error;
            });
          }
          const read = await readOf(service, pair);
          const same = (pages: Readonly<Record<string, readonly string[]>>) => {
            for (const [page, names] of Object.entries(pages)) {
              expect([...names].sort(), page).toEqual([...read].sort());
            }
          };
          const isSuspended = (ownerId: string, all: readonly Suspended[]) =>
            all.some(({ id, suspendedAt }) => id === ownerId && suspendedAt !== null);
          if (!isSuspended(pair.company.id, await service.operator.listCompanies())) {
            const contact = await signIn(service, pair.company.id);
            same(await toldToCompany(contact, pair.requestIds));
            const shown = (await requestPages(contact, pair.requestIds)).flatMap((page) =>
              rowsOf(sectionIn(page, en.request.reads)),
            );
            const things = (await thingsOf(service, pair)).sort();
            expect(shown.sort().map((row, at) => row.slice(0, things[at]?.length))).toEqual(things);
            const asks = [...(await contact.get('/desk/')).text.matchAll(/<h3>(.*?)<\/h3>/gs)];
            const asked = asks.flatMap(([, heading]) => namesIn(heading));
            expect(asked.filter((name) => read.includes(name))).toEqual([]);
          }
          if (!isSuspended(pair.investor.id, await service.operator.listInvestors())) {
            const visitor = await signInInvestor(service, pair.investor.id);
            same(await toldToInvestor(visitor, pair));
            expect(await mayCompare(visitor, pair)).toBe(
              read.includes(en.scopes['metrics:read'].name),
            );
          }
        }),
        { numRuns: propertyRuns(200) },
      );
    });
  },
  {},
  { replace: () => ({ clock: { now: () => now } }) },
);
