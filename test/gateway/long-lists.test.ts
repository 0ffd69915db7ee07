import { beforeEach, expect, it } from 'vitest';
import { AccessError, type AccessRequest, type InvestorUseCases, type Page } from '#core';
import { useLongAnswers } from './long-answers.ts';

const path = '/v1/access-requests';
const createdAt = new Date('2026-11-02T09:30:00.000Z');

const requestOf = (number: number): AccessRequest => ({
  id: `ar_${number}`,
  investorId: 'inv_1',
  companyId: 'co_1',
  requestedScopes: ['metrics:read'],
  approvedScopes: [],
  previousScopes: [],
  pendingScopes: [],
  requestedTerms: null,
  approvedTerms: null,
  pendingTerms: null,
  approvals: [],
  status: 'declined',
  version: 'ver_1',
  amendments: 0,
  purpose: 'A purpose of some length. '.repeat(20),
  additionDeclined: false,
  pendingPurpose: null,
  reason: null,
  createdAt,
  decidedAt: createdAt,
  expiresAt: null,
  deadlineAt: createdAt,
  expiringAt: null,
  reviewAt: null,
  pausedAt: null,
  firstReadAt: null,
  lastEventType: 'access_request.declined',
});

const pageOf = (first: number, nextCursor: string | null = 'more'): Page<AccessRequest> => ({
  items: Array.from({ length: 200 }, (_, index) => requestOf(first + index)),
  nextCursor,
});

type Walk = InvestorUseCases['walkAccessRequests'];

let walk: Walk;
let read = 0;
let ended = 0;

beforeEach(() => {
  read = 0;
  ended = 0;
  walk = endless;
});

const long = useLongAnswers(path, () => ({ walkAccessRequests: (...given) => walk(...given) }));
const { ask, askAndTakeNothing } = long;

async function* endless(): AsyncGenerator<Page<AccessRequest>, undefined> {
  try {
    for (;;) {
      read += 1;
      yield pageOf(200 * read);
    }
  } finally {
    ended += 1;
  }
}

it('a long list is sent as one list in the API’s format, however many pages the database returns', async () => {
  walk = async function* () {
    yield pageOf(0);
    yield pageOf(200);
    yield { items: [requestOf(400)], nextCursor: null };
    return undefined;
  };
  const { key } = await long.service.fixtures.portfolio();
  const response = await ask(key);
  expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(response.headers.get('svc-request-id')).toMatch(/^req_/);
  const list = (await response.json()) as { data: { id: string }[] };
  expect(Object.keys(list)).toEqual(['object', 'data', 'has_more', 'url', 'next_cursor']);
  expect(list).toMatchObject({ object: 'list', has_more: false, url: path, next_cursor: null });
  expect(list.data.map(({ id }) => id)).toEqual(
    Array.from({ length: 401 }, (_, number) => `ar_${number}`),
  );
});

it('a list of one page is sent in one piece', async () => {
  walk = async function* () {
    yield pageOf(0, null);
    return undefined;
  };
  const { key } = await long.service.fixtures.portfolio();
  const response = await ask(key);
  expect(response.headers.get('content-length')).not.toBeNull();
  expect(await response.json()).toMatchObject({ data: { length: 200 }, next_cursor: null });
});

it('pages of a list are read only as fast as the client receives them, until the client disconnects', async () => {
  const { key } = await long.service.fixtures.portfolio();
  await askAndTakeNothing(key);
  const [response] = long.responses;
  await expect.poll(() => response?.writableNeedDrain).toBe(true);
  // The operating system may buffer a few more pages. Then no page is read, even while the service answers other calls.
  const before = read;
  for (let count = 0; count < 50; count += 1) await long.service.get('/v1/companies', key);
  expect(read).toBeLessThan(before + 20);
  long.leave();
  await expect.poll(() => ended).toBe(1);
});

it.each([
  ['the database is down', new AccessError('service_unavailable')],
  ['the key is no longer valid', new AccessError('invalid_api_key')],
  ['an unexpected error', new Error('unexpected error')],
])(
  'a list that fails midway is cut off, so that clients notice the failure: %s',
  async (_why, error) => {
    walk = async function* () {
      yield pageOf(0);
      throw error;
    };
    const { key } = await long.service.fixtures.portfolio();
    const response = await ask(key);
    await expect(response.text()).rejects.toThrow();
  },
);

it('the response is the usual error if reading a list fails at the beginning', async () => {
  walk = () => {
    throw new AccessError('service_unavailable');
  };
  const { key } = await long.service.fixtures.portfolio();
  expect((await ask(key)).status).toBe(503);
});

it('an investor’s third long list waits for any of its keys, and other investors don’t wait', async () => {
  const { key, investor } = await long.service.fixtures.portfolio();
  const { key: second } = await long.service.fixtures.key(investor);
  const { key: neighbour } = await long.service.fixtures.portfolio();
  const begun = [await askAndTakeNothing(key), await askAndTakeNothing(second)];
  const beginsLater = ask(second);
  const gone = new AbortController();
  const leaves = fetch(long.service.url + path, {
    headers: { authorization: `Bearer ${key}` },
    signal: gone.signal,
  });
  await expect.poll(() => long.responses).toHaveLength(4);
  await askAndTakeNothing(neighbour);
  await long.service.get('/v1/companies', key);
  expect(long.responses.map(({ headersSent }) => headersSent)).toEqual([
    true,
    true,
    false,
    false,
    true,
  ]);
  gone.abort();
  await expect(leaves).rejects.toThrow();
  begun[0]?.destroy();
  expect((await beginsLater).status).toBe(200);
  // A client that disconnected while its list waited must not take one of the two places.
  begun[1]?.destroy();
  expect((await ask(key)).status).toBe(200);
});

it('a list of one page is sent at once while long lists are in progress', async () => {
  const { key } = await long.service.fixtures.portfolio();
  await askAndTakeNothing(key);
  await askAndTakeNothing(key);
  walk = async function* () {
    yield pageOf(0, null);
    return undefined;
  };
  expect((await ask(key)).status).toBe(200);
});

it('a HEAD request for a list reads only its first page', async () => {
  const { key } = await long.service.fixtures.portfolio();
  const response = await ask(key, 'HEAD');
  expect(response.status).toBe(200);
  expect(response.headers.get('content-length')).toBeNull();
  expect(read).toBe(1);
});
