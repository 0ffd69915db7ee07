import { withClient } from '../../../servers.ts';
import { type Attack, crewOf, happened, isAtMost, type World } from '../attack.ts';
import { refusedReads } from './refused-reads.ts';

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
    refusedReads(world, 40),
    {
      name: 'reads',
      requests: world.parties[1].companies.slice(-100).map((company) => ({
        method: 'GET',
        path: `/v1/companies/${company}/metrics`,
        key: world.parties[1].key,
      })),
      connections: 16,
      maxRequests: world.atMost(600),
    },
  ],
  end: (world) => run(world, 'drop function sleep_before_records() cascade'),
  judge: (outcome) => [
    happened('refused reads', crewOf(outcome, 'reads').statuses['403'] ?? 0),
    isAtMost(
      'warnings in the log, one a second and five more',
      outcome.warnings,
      Math.ceil(outcome.seconds) + 5,
    ),
  ],
};
