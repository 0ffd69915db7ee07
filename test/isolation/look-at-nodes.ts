import { writeNodeId } from '../../graphql-adapter/node-ids.ts';
import type { NormalizedAccount, NormalizedSource } from '../parity/drivers/driver.ts';
import type { GraphqlDriver } from '../parity/drivers/graphql.ts';
import type { Look } from './look.ts';
import { metricKey, oneCompany, oneRequest, reading, type Verdict } from './model.ts';
import type { AccessRequest, Company, Key, State } from './state.ts';

/**
 * The verdict for a GraphQL node. It is null if the key can't find the object, but a refusal for a
 * company in the portfolio stays a refusal.
 */
function asNode(verdict: Verdict, find: (expected: unknown) => unknown = (told) => told): Verdict {
  const { because } = verdict;
  if ('expected' in verdict) return { expected: find(verdict.expected) ?? null, because };
  return /_not_found$/.test(verdict.refused) ? { expected: null, because } : verdict;
}

/** The reads of each object by its ID: the company, a metric, a source and an account. */
export function looksAtNodes(
  all: State,
  driver: GraphqlDriver,
  key: Key,
  who: string,
  company: Company | null,
): Look[] {
  const { id, name } = company ?? { id: 'co_none', name: 'a company that does not exist' };
  const account = `${id}-0`;
  const look = (what: string, node: string, verdict: Verdict): Look => ({
    what: `${what} of ${name} by its id`,
    who,
    driver,
    verdict,
    named: 'expected' in verdict && verdict.expected !== null ? id : '',
    ask: () => driver.readNode(key.secret, node),
  });
  return [
    look('the entry', id, asNode(oneCompany(all, key, company))),
    look(
      'a metric',
      writeNodeId('metric', id, metricKey),
      asNode(reading(all, key, company, 'one metric')),
    ),
    look(
      'a source',
      writeNodeId('source', id, 'provider 0', 'Main'),
      asNode(reading(all, key, company, 'the sources'), (told) =>
        (told as NormalizedSource[]).find(({ provider }) => provider === 'provider 0'),
      ),
    ),
    look(
      'an account',
      writeNodeId('account', id, account),
      asNode(reading(all, key, company, 'the accounts'), (told) =>
        (told as NormalizedAccount[]).find((one) => one.id === account),
      ),
    ),
  ];
}

export const lookAtRequestNode = (
  all: State,
  driver: GraphqlDriver,
  key: Key,
  who: string,
  accessRequest: AccessRequest,
): Look => ({
  what: `the request ${accessRequest.id} by its id`,
  who,
  driver,
  named: '',
  verdict: asNode(oneRequest(all, key, accessRequest)),
  ask: () => driver.readNode(key.secret, accessRequest.id),
});
