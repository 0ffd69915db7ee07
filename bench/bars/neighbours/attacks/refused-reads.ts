import { withClient } from '../../../servers.ts';
import { metricsPath } from '../../../workloads.ts';
import { type Attack, answered, type Crew, happened, isAtMost, type World } from '../attack.ts';
import { aliases, get, graphql, times } from '../requests.ts';

/** Each operation contains 4,800 reads of different metrics, which are all refused. */
const refusedReads = ({ parties: [{ key }], atMost }: World): Crew => ({
  name: 'operations',
  requests: times(8, (call) => {
    const metric = (name: string, index: number) =>
      `${name}:metric(key:"none_${call}_${index}"){__typename}`;
    return graphql(`{companies(access:NONE){nodes{${aliases(32, metric)}}}}`, key);
  }),
  connections: 4,
  maxRequests: atMost(40),
});

export const manyRefusedReads: Attack = {
  name: 'refused-reads',
  what: 'GraphQL operations of 32 × 150 reads that are all refused, 40 in 4 loops.',
  crews: (world) => [refusedReads(world)],
  judge: ({ rows, points, crews }) => [
    happened('operations sent', crews[0]?.sent ?? 0),
    isAtMost('access records left, for the points charged', rows.records, points),
  ],
};

const sleepSeconds = 0.06;

const slowDown = `
  create function sleep_before_records() returns trigger language plpgsql as
    $$ begin perform pg_sleep(${sleepSeconds}); return null; end $$;
  create trigger sleep_before_records before insert on access_record
    for each statement execute function sleep_before_records()`;

const run = ({ databaseUrl }: World, text: string) =>
  withClient(databaseUrl, async (client) => {
    await client.query(text);
  });

export const slowRecords: Attack = {
  name: 'slow-records',
  what: `The same refused reads, and refused REST reads in 16 loops, while each statement that writes access records takes ${sleepSeconds * 1_000} ms more.`,
  prepare: (world) => run(world, slowDown),
  crews: (world) => [
    refusedReads(world),
    {
      name: 'reads',
      requests: world.parties[1].companies
        .slice(-100)
        .map((company) => get(metricsPath(company), world.parties[1].key)),
      connections: 16,
      maxRequests: world.atMost(600),
    },
  ],
  end: (world) => run(world, 'drop function sleep_before_records() cascade'),
  judge: (outcome) => [
    happened('refused reads', answered(outcome, 'reads', 403)),
    isAtMost(
      'warnings in the log, one a second and five more',
      outcome.warnings,
      Math.ceil(outcome.seconds) + 5,
    ),
  ],
};
