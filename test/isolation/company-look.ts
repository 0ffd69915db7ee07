import { normalizeReceived } from '../parity/drivers/company.ts';
import type { Outcome } from '../parity/drivers/driver.ts';
import {
  listOf,
  normalizeAccount,
  normalizeDataEvent,
  normalizeMetric,
  normalizeSource,
} from '../parity/drivers/rest-normalize.ts';
import type { Json } from '../support/http-client.ts';
import {
  byRequest,
  hasEnded,
  normalizeReceipts,
  ownData,
  receivedEvents,
  receivedReceipts,
  receivedRequest,
  receivedRequests,
} from './company-model.ts';
import type { Look } from './look.ts';
import { metricKey, type Thing } from './model.ts';
import type { AccessRequest, CompanyKey } from './state.ts';
import type { World } from './world.ts';

const mapped = async <Data>(
  outcome: Promise<Outcome<Json>>,
  normalize: (body: Json) => Data,
): Promise<Outcome<Data>> => {
  const answer = await outcome;
  return answer.ok ? { ...answer, data: normalize(answer.data) } : answer;
};

/** The kinds of a company's data, each with its path and a function that normalizes the answer. */
const ownThings: readonly (readonly [Thing, string, (body: Json) => unknown])[] = [
  ['the latest metrics', '/metrics', listOf(normalizeMetric)],
  ['the history of a metric', `/metrics/${metricKey}/history`, listOf(normalizeMetric)],
  ['the sources', '/sources', listOf(normalizeSource)],
  ['the accounts', '/accounts', listOf(normalizeAccount)],
];

export function looksOfCompanies(
  world: World,
  keys: readonly CompanyKey[],
  accessRequests: readonly AccessRequest[],
): Look[] {
  return keys.flatMap((key) => [
    ...looksAtOwn(world, key),
    ...accessRequests.flatMap((accessRequest) => looksAtRequest(world, key, accessRequest)),
  ]);
}

function looksAtOwn({ state, harness: { company: driver } }: World, key: CompanyKey): Look[] {
  const look = { who: `${key.company.name} (${key.company.environment})`, driver, named: '' };
  const own = state.investors.filter(({ environment }) => environment === key.company.environment);
  return [
    ...ownThings.map(([thing, path, normalize]) => ({
      ...look,
      what: `${thing} of its own`,
      named: key.company.id,
      verdict: ownData(key, thing),
      ask: () => mapped(driver.get(key.secret, path), normalize),
    })),
    {
      ...look,
      what: 'the requests to it',
      verdict: receivedRequests(state, key),
      ask: () =>
        mapped(driver.get(key.secret, '/access-requests?limit=200'), ({ data }) =>
          data.map(normalizeReceived),
        ),
    },
    {
      ...look,
      what: 'the events of it',
      verdict: receivedEvents(state, key),
      ask: () =>
        mapped(driver.get(key.secret, '/events?limit=1000'), ({ data }) =>
          byRequest(
            data.map((event: Json) =>
              event.data.access_request === undefined
                ? normalizeDataEvent(event)
                : { type: event.type, request: normalizeReceived(event.data.access_request) },
            ),
          ),
        ),
    },
    {
      ...look,
      what: 'who read it',
      // Any investor of the environment and any grant of the company may have caused a read, so they may be named.
      named: JSON.stringify([
        own.map(({ id, name }) => [id, name]),
        state.accessRequests.filter(({ company }) => company === key.company).map(({ id }) => id),
      ]),
      verdict: hasEnded(key)
        ? { refused: 'invalid_api_key', because: 'the key has ended' }
        : { expected: [], because: 'no caller of the other environment is named' },
      ask: () =>
        mapped(driver.get(key.secret, '/access-records?limit=200'), ({ data }) =>
          data.filter((record: Json) => !own.some(({ id }) => id === record.investor.id)),
        ),
    },
  ];
}

function looksAtRequest(
  { state, harness: { company: driver } }: World,
  key: CompanyKey,
  accessRequest: AccessRequest,
): Look[] {
  const look = { who: `${key.company.name} (${key.company.environment})`, driver, named: '' };
  const path = `/access-requests/${accessRequest.id}`;
  return [
    {
      ...look,
      what: `the request ${accessRequest.id}`,
      verdict: receivedRequest(state, key, accessRequest),
      ask: () => mapped(driver.get(key.secret, path), normalizeReceived),
    },
    {
      ...look,
      what: `the receipts of ${accessRequest.id}`,
      verdict: receivedReceipts(state, key, accessRequest),
      ask: () =>
        mapped(driver.get(key.secret, `${path}/receipts`), ({ data }) => normalizeReceipts(data)),
    },
  ];
}
