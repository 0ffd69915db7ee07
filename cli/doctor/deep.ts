import { type ConsistencyCheck, consistencyChecks, type Inconsistency } from '#core';
import type { Config } from '../../gateway/config.ts';
import type { CliContext } from '../context.ts';
import { type Finding, type Findings, runCheck } from './finding.ts';
import { withoutSecrets } from './index.ts';

const maxNamed = 50;

const deepMilliseconds = 6 * 3_600_000;

const history =
  'see docs/operations.md, ConsentFindings: revoke forged grants, and keep the database for inspection';

/**
 * The statements set `portfolio_access.everyone`, because row-level security otherwise hides all rows, even from the
 * owner.
 */
export const advice: Readonly<Record<ConsistencyCheck, string>> = {
  consents: history,
  feed: 'find out who has written to access_event or event_consumer: readers may have missed an event',
  versions:
    'run as the owner: set portfolio_access.everyone = on; update company_data_version set version = version + 1 where company_id = …; then cached data is read again',
  values:
    'find out who has written to metric_point or metric_revision; the export of a backup has the value',
  names:
    'run as the owner: set portfolio_access.everyone = on; update portfolio_membership set company_name = name from company where id = company_id',
  counts:
    'if a record arrived more than an hour after its day, it is in the lists but not in the counts; otherwise find out who has written to access_day_count',
  settings: 'ask the owner whether they made the setting; if not, revoke or remove the setting',
};

/** Compares all stored data with its history. Changes nothing. */
export async function runDeepChecks(context: CliContext, config: Config): Promise<Finding[]> {
  const findings: Finding[] = [];
  const opened = await runCheck(
    'consistency',
    async () =>
      context.withComposition(async ({ operatorUseCases }) => {
        for (const check of consistencyChecks) {
          const find = (onFound: (found: Inconsistency) => void) =>
            operatorUseCases.findInconsistencies(check, onFound);
          findings.push(
            ...(await runCheck(check, (list) => report(check, find, list), deepMilliseconds)),
          );
        }
      }),
    deepMilliseconds,
  );
  return [...findings, ...opened].map((finding) => withoutSecrets(finding, config));
}

async function report(
  check: ConsistencyCheck,
  find: (onFound: (found: Inconsistency) => void) => Promise<void>,
  findings: Findings,
): Promise<void> {
  let count = 0;
  // Concurrent changes or late records can also fail these two checks, so their findings are only warnings.
  const isSure = check !== 'versions' && check !== 'counts';
  const add = (message: string) =>
    isSure ? findings.fail(message, advice[check]) : findings.warn(message, advice[check]);
  await find(({ subject, problem }) => {
    count += 1;
    if (count > maxNamed) return;
    add(`${subject}: ${problem}`);
  });
  if (count === 0) findings.ok('everything agrees');
  if (count > maxNamed) add(`${count - maxNamed} more`);
}
