import { expect, test } from 'vitest';
import { type NewsMail, newsKinds, type Ports } from '#core';
import { readNews } from '../../../../core/use-cases/queues/read-news.ts';
import { start } from '../../world.ts';

const mail = {
  ...{ kind: 'news', contactId: 'ct_1', owner: { investorId: 'inv_1' } },
  ...{ aboutCompanyId: null, afterPosition: '0', untilPosition: '9' },
} as unknown as NewsMail;

const late = {
  ...{ id: 'evt_1', type: 'source.failed', createdAt: start, position: '1' },
  ...{ companyId: 'co_1', companyName: 'Harbor' },
  data: { sources: [{ provider: 'brex', accountName: 'Cards' }] },
};

const approved = {
  ...{ id: 'ar_1', status: 'approved', approvedScopes: ['sources:read'] },
  ...{ pendingScopes: [], deadlineAt: new Date(start.getTime() + 1_000), declinedAt: null },
  ...{ approvedTerms: null, pausedAt: null, firstReadAt: null },
};

const ending = {
  ...{ ...late, type: 'access_request.expiring', data: undefined },
  accessRequest: { id: 'ar_1', companyId: 'co_1' },
};

const read = (
  entry: object | null,
  owner: object = { investorId: 'inv_1' },
  event: object = late,
) => {
  const choices = Object.fromEntries(newsKinds.map((kind) => [kind, 'at_once']));
  const ports = {
    contacts: { findMailReader: async () => ({ role: 'admin', choices }) },
    accessEvents: { read: async () => [event] },
    accessRequests: { find: async () => null },
    directory: { findInPortfolio: async () => entry },
  } as unknown as Ports;
  return readNews(ports)({ ...mail, owner } as NewsMail, start);
};

test('a failed source is news for an investor with an active grant', async () => {
  const [news] = await read({ newestRequest: approved });
  expect([...(news?.lateSources ?? [])]).toEqual(['brex Cards']);
});

test.each([
  ['is outside the portfolio', null],
  ['has no access request', { newestRequest: null }],
])('a failed source isn’t news if its company %s', async (_, entry) => {
  expect(await read(entry)).toEqual([]);
});

test('the announced end of a grant isn’t news if the grant’s access request no longer exists', async () => {
  expect(await read(null, undefined, ending)).toEqual([]);
});

test('a contact of a company gets no news', async () => {
  expect(await read(null, { companyId: 'co_1' })).toEqual([]);
});
