import { withClient } from '../../../servers.ts';
import { type Attack, crewOf, happened } from '../attack.ts';
import { aliases } from '../documents.ts';

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
          select id_bytes('rec', 'rec_' || md5($1 || number)), now(), id_bytes('req', 'req_' || number),
            'rest', id_bytes('key', 'key_' || $1), id_bytes('inv', $1), id_bytes('co', $2), 'metrics:read', 'metrics', 'access_required'
          from generate_series(1, $3::int) as number`,
        [id, companies[0], perList],
      ),
    );
  },
  crews: ({ parties: [{ key }], atMost }) => [
    {
      name: 'operations',
      requests: [
        {
          method: 'POST',
          path: '/graphql',
          key,
          body: JSON.stringify({
            query: `{${aliases(50, (name) => `${name}:accessRecords(first:${perList}){nodes{requestId}}`)}}`,
          }),
        },
      ],
      connections: 8,
      maxRequests: atMost(600),
    },
  ],
  judge: (outcome) => [happened('operations', crewOf(outcome, 'operations').sent)],
};
