import { beforeEach, expect, it } from 'vitest';
import { AccessError, type InvestorUseCases, type Metric } from '#core';
import { readingOf as dataReading } from '../support/loading-reads.ts';
import { useLongAnswers } from './long-answers.ts';

const path = '/v1/metric-history?company_ids=co_1,co_2&keys=arr';

type Walk = InvestorUseCases['walkMetricHistories'];

const usual = 300_000;

/** A history with one value. Its label has the given length. */
const historyOf = (id: number, length = usual) =>
  readingOf([
    {
      companyId: 'co_1',
      key: `${id}`,
      label: 'x'.repeat(length),
      source: { lastSynced: new Date() },
      verification: { verified: false, signed: false },
      rawValue: '1',
      asOf: new Date(),
    } as Metric,
  ]);

/** Each read has a separate name, so that the cache isn't used. */
const readingOf = (metrics: readonly Metric[]) => ({
  history: dataReading(metrics, { name: `history ${readings++}` }),
});
let readings = 0;

let walk: () => AsyncGenerator<unknown, undefined>;
let made = 0;

beforeEach(() => {
  made = 0;
  walk = endless;
});

const long = useLongAnswers(path, () => ({
  walkMetricHistories: (() => walk()) as unknown as Walk,
}));
const { ask, askAndTakeNothing } = long;

async function* endless(): AsyncGenerator<unknown, undefined> {
  for (;;) {
    made += 1;
    yield historyOf(made);
  }
}

it('long histories are sent as one list in the API’s format, with the errors of companies at the end', async () => {
  walk = async function* () {
    yield historyOf(1);
    yield { refusal: { companyId: 'co_2', code: 'access_required' } };
    yield readingOf([]);
    yield historyOf(2);
    return undefined;
  };
  const { key } = await long.service.fixtures.portfolio();
  const response = await ask(key);
  expect(response.headers.get('content-length')).toBeNull();
  const list = (await response.json()) as { data: { key: string }[] };
  expect(list.data.map(({ key }) => key)).toEqual(['1', '2']);
  expect({ ...list, data: [] }).toEqual({
    object: 'list',
    data: [],
    has_more: false,
    url: '/v1/metric-history',
    next_cursor: null,
    refusals: [{ company_id: 'co_2', code: 'access_required' }],
  });
});

it('short histories are sent in one piece, even while other responses wait for slow clients', async () => {
  const { key } = await long.service.fixtures.portfolio();
  await askAndTakeNothing(key);
  await askAndTakeNothing(key);
  walk = async function* () {
    yield historyOf(1, 1_000);
    return undefined;
  };
  const response = await ask(key);
  expect(response.headers.get('content-length')).not.toBeNull();
  expect(await response.json()).toMatchObject({ data: { length: 1 }, refusals: [] });
});

it('the response is the usual error if reading the histories fails at the beginning', async () => {
  // biome-ignore lint/correctness/useYield: the generator throws first
  walk = async function* () {
    throw new AccessError('insufficient_scope');
  };
  const { key } = await long.service.fixtures.portfolio();
  expect((await ask(key)).status).toBe(403);
});
