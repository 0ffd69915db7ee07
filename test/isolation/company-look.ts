import { toldReceived } from '../parity/drivers/company.ts';
import type { Outcome } from '../parity/drivers/driver.ts';
import type { Json } from '../support/http-client.ts';
import type { Asking, CompanyKey } from './chronicle.ts';
import {
  byRequest,
  receivedEvents,
  receivedReceipts,
  receivedRequest,
  receivedRequests,
  toldReceipts,
} from './company-model.ts';
import type { Look } from './look.ts';
import type { World } from './world.ts';

const mapped = async <Data>(
  outcome: Promise<Outcome<Json>>,
  told: (body: Json) => Data,
): Promise<Outcome<Data>> => {
  const answer = await outcome;
  return answer.ok ? { ...answer, data: told(answer.data) } : answer;
};

/** Everything that a company can look at with its keys. */
export function looksOfCompanies(
  world: World,
  keys: readonly CompanyKey[],
  askings: readonly Asking[],
): Look[] {
  return keys.flatMap((key) => [
    ...looksAtOwn(world, key),
    ...askings.flatMap((asking) => looksAtRequest(world, key, asking)),
  ]);
}

function looksAtOwn({ chronicle, stage: { company } }: World, key: CompanyKey): Look[] {
  const look = { who: `${key.firm.name} (${key.firm.environment})`, driver: company, named: '' };
  const own = chronicle.investors.filter(({ environment }) => environment === key.firm.environment);
  return [
    {
      ...look,
      what: 'the requests to it',
      verdict: receivedRequests(chronicle, key),
      ask: () =>
        mapped(company.get(key.secret, '/access-requests?limit=200'), ({ data }) =>
          data.map(toldReceived),
        ),
    },
    {
      ...look,
      what: 'the events of it',
      verdict: receivedEvents(chronicle, key),
      ask: () =>
        mapped(company.get(key.secret, '/events?limit=1000'), ({ data }) =>
          byRequest(
            data.map((event: Json) => ({
              type: event.type,
              request: toldReceived(event.data.access_request),
            })),
          ),
        ),
    },
    {
      ...look,
      what: 'who read it',
      // Anybody of its environment may have tried to, under any grant that is or was its own.
      named: JSON.stringify([
        own.map(({ id, name }) => [id, name]),
        chronicle.askings.filter(({ firm }) => firm === key.firm).map(({ id }) => id),
      ]),
      verdict: key.isRevoked
        ? { refused: 'invalid_api_key', because: 'the key works no more' }
        : { told: [], because: 'nobody of the other environment is named' },
      ask: () =>
        mapped(company.get(key.secret, '/access-records?limit=200'), ({ data }) =>
          data.filter((record: Json) => !own.some(({ id }) => id === record.investor.id)),
        ),
    },
  ];
}

function looksAtRequest(
  { chronicle, stage: { company } }: World,
  key: CompanyKey,
  asking: Asking,
): Look[] {
  const look = { who: `${key.firm.name} (${key.firm.environment})`, driver: company, named: '' };
  const path = `/access-requests/${asking.id}`;
  return [
    {
      ...look,
      what: `the request ${asking.id}`,
      verdict: receivedRequest(chronicle, key, asking),
      ask: () => mapped(company.get(key.secret, path), toldReceived),
    },
    {
      ...look,
      what: `the receipts of ${asking.id}`,
      verdict: receivedReceipts(chronicle, key, asking),
      ask: () =>
        mapped(company.get(key.secret, `${path}/receipts`), ({ data }) => toldReceipts(data)),
    },
  ];
}
