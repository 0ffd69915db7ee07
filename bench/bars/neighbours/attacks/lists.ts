import { withClient } from '../../../servers.ts';
import { type Attack, crewOf, happened, isAtMost } from '../attack.ts';
import { aliases, get, graphql } from '../requests.ts';

const perList = 1_000;

export const recordLists: Attack = {
  name: 'record-lists',
  what: `GraphQL operations with 50 lists of ${perList} access records each, 600 in 8 loops.`,
  asksForMuch: true,
  async prepare({ databaseUrl, parties: [{ id, companies }] }) {
    await withClient(databaseUrl, (client) =>
      client.query(
        `insert into access_record (id, occurred_at, request_id, protocol, key_id, investor_id,
            company_id, scope, resource, outcome)
          select 'rec_' || md5($1 || number), now(), 'req_' || number, 'rest', api_key.id, $1, $2,
            'metrics:read', 'metrics', 'access_required'
          from api_key cross join generate_series(1, $3::int) as number
          where api_key.investor_id = $1`,
        [id, companies[0], perList],
      ),
    );
  },
  crews({ parties: [{ key }], atMost }) {
    const list = (name: string) => `${name}:accessRecords(first:${perList}){nodes{requestId}}`;
    const requests = [graphql(`{${aliases(50, list)}}`, key)];
    return [{ name: 'operations', requests, connections: 8, maxRequests: atMost(600) }];
  },
  judge: (outcome) => [happened('operations', crewOf(outcome, 'operations').sent)],
};

/** The minimum number of access requests, also in a smoke run. It is more than one page contains. */
const fewestRequests = 450;
const requestsOfParty = 10_050;
const moreMemory = 100;

export const requestLists: Attack = {
  name: 'lists',
  what: `Lists of ${requestsOfParty} access requests in 8 loops.`,
  asksForMuch: true,
  async prepare({ databaseUrl, parties: [{ id, companies }], atMost }) {
    const count = Math.max(fewestRequests, atMost(requestsOfParty));
    await withClient(databaseUrl, (client) =>
      client.query(
        `insert into access_request (id, investor_id, company_id, requested_scopes, approved_scopes,
            previous_scopes, pending_scopes, status, purpose, created_at, decided_at, deadline_at,
            last_event_type)
          select 'ar_' || md5($1 || number), $1, $2, $3, '{}', '{}', '{}', 'declined',
            repeat('Quarterly reporting to our partners. ', 25), now() - number * interval '1 minute',
            now(), now(), 'access_request.declined'
          from generate_series(1, $4::int) as number`,
        [id, companies.at(-1), ['metrics:read'], count],
      ),
    );
  },
  crews: ({ parties: [{ key }], atMost }) => [
    {
      name: 'lists',
      requests: [get('/v1/access-requests', key)],
      connections: 8,
      maxRequests: atMost(600),
    },
  ],
  judge: (outcome) => [
    happened('bytes of the longest list', crewOf(outcome, 'lists').largestAnswer),
    {
      ...isAtMost('memory of lists, MiB', outcome.memory.peak - outcome.memory.before, moreMemory),
      isOfMachine: true,
    },
  ],
};
