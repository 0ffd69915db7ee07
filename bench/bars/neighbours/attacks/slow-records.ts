import { withClient } from '../../../servers.ts';
import { type Attack, crewOf, happened, isAtMost, type Stage } from '../attack.ts';
import { refusedReads } from './refused-reads.ts';

const sleepSeconds = 0.06;

const slowDown = `
  create function sleep_before_records() returns trigger language plpgsql as
    $$ begin perform pg_sleep(${sleepSeconds}); return null; end $$;
  create trigger sleep_before_records before insert on access_record
    for each statement execute function sleep_before_records()`;

const run = ({ databaseUrl }: Stage, text: string) =>
  withClient(databaseUrl, async (client) => {
    await client.query(text);
  });

export const slowRecords: Attack = {
  name: 'slow-records',
  what: `The same refused reads, and refused REST reads in 16 loops, while each statement that writes access records takes ${sleepSeconds * 1_000} ms more.`,
  prepare: (stage) => run(stage, slowDown),
  crews: (stage) => [
    refusedReads(stage, 40),
    {
      name: 'reads',
      requests: stage.parties[1].companies.slice(-100).map((company) => ({
        method: 'GET',
        path: `/v1/companies/${company}/metrics`,
        key: stage.parties[1].key,
      })),
      connections: 16,
      maxRequests: stage.atMost(600),
    },
  ],
  end: (stage) => run(stage, 'drop function sleep_before_records() cascade'),
  judge: (outcome) => [
    happened('refused reads', crewOf(outcome, 'reads').statuses['403'] ?? 0),
    isAtMost(
      'warnings in the log, one a second and five more',
      outcome.warnings,
      Math.ceil(outcome.seconds) + 5,
    ),
  ],
};
