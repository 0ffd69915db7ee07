import type { Outcome, ProtocolDriver } from '../parity/drivers/driver.ts';
import type { GraphqlDriver } from '../parity/drivers/graphql.ts';
import type { RestDriver } from '../parity/drivers/rest.ts';
import {
  byRequest,
  normalizeReceipts,
  ownEvents,
  ownHistory,
  ownReceipts,
} from './company-model.ts';
import { dashboard, normalizeDashboard, wholeDashboard } from './dashboard.ts';
import { lookAtFigures } from './look-at-figures.ts';
import { lookAtRequestNode, looksAtNodes } from './look-at-nodes.ts';
import { looksAtRest } from './look-at-rest.ts';
import {
  companyList,
  histories,
  metricKey,
  oneCompany,
  oneRequest,
  otherKey,
  reading,
  requestList,
  revisions,
  type Thing,
  things,
  type Verdict,
} from './model.ts';
import { readingInGraphql } from './reading-in-graphql.ts';
import type { AccessRequest, Company, Key, State } from './state.ts';
import type { World } from './world.ts';

/** One read with one key in one protocol, and the expected verdict. */
export interface Look {
  readonly what: string;
  /** The name of the key's owner, and the key's scopes. */
  readonly who: string;
  readonly driver: Pick<ProtocolDriver, 'protocol'> & { readonly name: string };
  readonly verdict: Verdict;
  /** Words that the answer may contain because the read itself contains them. */
  readonly named: string;
  ask(): Promise<Outcome<unknown>>;
}

const nameOf = ({ owner, scopes }: Key) =>
  `${owner.name} (${owner.environment}) with ${scopes.join(' ')}`;

const noCompany = { id: 'co_none', name: 'a company that does not exist' };
const noRequest = 'ar_none';

/** The lists, and for each company all of its data. */
export function looksOf(
  world: World,
  keys: readonly Key[],
  companies: readonly (Company | null)[],
  accessRequests: readonly (AccessRequest | null)[],
): Look[] {
  const { state, harness } = world;
  const { rest, graphql, trpc, mcp } = harness.drivers;
  const looks = [rest, graphql, trpc, mcp].flatMap((driver) =>
    keys.flatMap((key) => [
      ...looksAtLists(state, driver, key),
      ...(driver === graphql
        ? [...looksAtDashboard(state, graphql, key), lookAtPage(state, graphql, key)]
        : []),
      ...(driver === rest
        ? [looksAtEvents(state, rest, key), ...looksAtRest(world, key, nameOf(key), companies)]
        : []),
      ...companies.flatMap((company) => looksAtFirm(state, driver, key, company)),
      ...(driver === graphql
        ? companies.flatMap((company) => [
            lookAtRevisions(state, graphql, key, company),
            lookAtHistories(state, graphql, key, company),
            ...looksAtNodes(state, graphql, key, nameOf(key), company),
          ])
        : []),
      ...accessRequests.flatMap((accessRequest) =>
        looksAtRequest(state, driver, key, accessRequest),
      ),
      ...(driver === graphql
        ? accessRequests.flatMap((accessRequest) =>
            accessRequest === null
              ? []
              : [lookAtRequestNode(state, graphql, key, nameOf(key), accessRequest)],
          )
        : []),
    ]),
  );
  if (companies.length === 0) return looks;
  return [...looks, ...keys.map((key) => lookAtFigures(world, key, nameOf(key), companies))];
}

function looksAtLists(all: State, driver: ProtocolDriver, key: Key): Look[] {
  const companies = companyList(all, key);
  return [
    {
      what: 'the companies',
      who: nameOf(key),
      driver,
      named: '',
      verdict: companies,
      ask: () => driver.listCompanies(key.secret),
    },
    {
      what: 'the access requests',
      who: nameOf(key),
      driver,
      named: '',
      verdict: requestList(all, key),
      ask: () => driver.listAccessRequests(key.secret),
    },
  ];
}

/** Reads all companies by ID. The answer must leave out companies outside the portfolio. */
function lookAtPage(all: State, driver: GraphqlDriver, key: Key): Look {
  return {
    what: 'the companies by their ids',
    who: nameOf(key),
    driver,
    named: '',
    verdict: companyList(all, key),
    ask: () =>
      driver.listCompaniesOf(key.secret, [...all.companies.map(({ id }) => id), noCompany.id]),
  };
}

/** A key without companies:read can't read the dashboard. */
function looksAtDashboard(all: State, driver: GraphqlDriver, key: Key): Look[] {
  const verdict = wholeDashboard(all, key);
  if ('refused' in verdict && verdict.refused === 'insufficient_scope') return [];
  return [
    {
      what: 'everything at once',
      who: nameOf(key),
      driver,
      verdict,
      named: '',
      async ask() {
        const outcome = await driver.ask(key.secret, dashboard);
        return outcome.ok ? { ...outcome, data: normalizeDashboard(outcome.data) } : outcome;
      },
    },
  ];
}

function looksAtFirm(
  all: State,
  driver: ProtocolDriver,
  key: Key,
  company: Company | null,
): Look[] {
  const { id, name } = company ?? noCompany;
  const look = (what: string, verdict: Verdict, ask: Look['ask']): Look => ({
    what: `${what} of ${name}`,
    who: nameOf(key),
    driver,
    verdict,
    named: 'expected' in verdict ? id : '',
    ask,
  });
  const read = driver.protocol === 'graphql' ? readingInGraphql : reading;
  const looks = things.map((thing) =>
    look(thing, read(all, key, company, thing), () => ways[thing](driver, key.secret, id)),
  );
  const verdict = oneCompany(all, key, company);
  const entry = look('the entry', verdict, () => driver.readCompany(key.secret, id));
  // Without companies:read, GraphQL repeats the ID and returns no entry, even for an unknown company.
  const isNode = driver.protocol === 'graphql' && 'refused' in verdict;
  return [
    ...looks,
    isNode && verdict.refused === 'insufficient_scope' ? { ...entry, named: id } : entry,
  ];
}

function lookAtRevisions(
  all: State,
  driver: GraphqlDriver,
  key: Key,
  company: Company | null,
): Look {
  const { id, name } = company ?? noCompany;
  const verdict = readingInGraphql(all, key, company, revisions);
  return {
    what: `${revisions} of ${name}`,
    who: nameOf(key),
    driver,
    verdict,
    named: 'expected' in verdict ? id : '',
    ask: () => driver.readMetricRevisions(key.secret, id, metricKey),
  };
}

/** Reading several histories at once exists only in GraphQL. */
function lookAtHistories(
  all: State,
  driver: GraphqlDriver,
  key: Key,
  company: Company | null,
): Look {
  const { id, name } = company ?? noCompany;
  const verdict = readingInGraphql(all, key, company, histories);
  return {
    what: `${histories} of ${name}`,
    who: nameOf(key),
    driver,
    verdict,
    named: 'expected' in verdict ? id : '',
    ask: () => driver.readMetricHistories(key.secret, id, [metricKey, otherKey]),
  };
}

export const ways: Record<
  Thing,
  (driver: ProtocolDriver, secret: string, id: string) => Promise<Outcome<unknown>>
> = {
  'the latest metrics': (driver, secret, id) => driver.readLatestMetrics(secret, id),
  'one metric': (driver, secret, id) => driver.readLatestMetric(secret, id, metricKey),
  'the history of a metric': (driver, secret, id) =>
    driver.readMetricHistory(secret, id, metricKey),
  'the sources': (driver, secret, id) => driver.readSources(secret, id),
  'the accounts': (driver, secret, id) => driver.readAccounts(secret, id),
};

function looksAtRequest(
  all: State,
  driver: ProtocolDriver,
  key: Key,
  accessRequest: AccessRequest | null,
): Look[] {
  const id = accessRequest?.id ?? noRequest;
  return [
    {
      what: `the request ${id}`,
      who: nameOf(key),
      driver,
      named: '',
      verdict: oneRequest(all, key, accessRequest),
      ask: () => driver.readAccessRequest(key.secret, id),
    },
    ...(accessRequest === null
      ? []
      : [
          lookAtReceipts(all, driver, key, accessRequest),
          ...looksAtHistory(all, driver, key, accessRequest),
        ]),
  ];
}

const lookAtReceipts = (
  all: State,
  driver: ProtocolDriver,
  key: Key,
  accessRequest: AccessRequest,
): Look => ({
  what: `the receipts of ${accessRequest.id}`,
  who: nameOf(key),
  driver,
  named: '',
  verdict: ownReceipts(all, key, accessRequest),
  async ask() {
    const outcome = await driver.readReceipts(key.secret, accessRequest.id);
    return outcome.ok ? { ...outcome, data: normalizeReceipts(outcome.data) } : outcome;
  },
});

function looksAtHistory(
  all: State,
  driver: ProtocolDriver,
  key: Key,
  accessRequest: AccessRequest,
): Look[] {
  const { readHistory } = driver;
  if (readHistory === null) return [];
  return [
    {
      what: `the history of ${accessRequest.id}`,
      who: nameOf(key),
      driver,
      named: '',
      verdict: ownHistory(all, key, accessRequest),
      ask: () => readHistory(key.secret, accessRequest.id),
    },
  ];
}

/** The event feed exists only in REST. */
function looksAtEvents(all: State, driver: RestDriver, key: Key): Look {
  return {
    what: 'the events',
    who: nameOf(key),
    driver,
    named: '',
    verdict: ownEvents(all, key),
    async ask() {
      const outcome = await driver.listEvents(key.secret);
      return outcome.ok ? { ...outcome, data: byRequest(outcome.data) } : outcome;
    },
  };
}
