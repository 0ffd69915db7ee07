import { randomInt } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import {
  createMigratedPostgresDatabase,
  type FreshDatabase,
  whyNoPostgres,
} from '../support/databases.ts';
import { type OperatorSide, openOperatorSide } from '../support/operator.ts';
import { killLeftovers, type RunningService, startServiceProcess } from '../support/processes.ts';
import { type Consent, createPair, grantAgain } from './support/consents.ts';
import { rounds } from './support/rounds.ts';
import { type Call, type Outcome, startTraffic, statusOf } from './support/traffic.ts';

const whyNot = await whyNoPostgres();
if (whyNot !== null) console.error(`SKIPPED: revocations under load: ${whyNot}`);

const pairs = 40;
const readersOfEach = 16;
const revokers = 4;
const revocations = rounds(1) * 400;

/** The consent of a pair and the time of its commit. A read that began earlier may see the old or new state. */
interface Watched extends Consent {
  state: 'granted' | 'changing' | 'revoked';
  since: number;
}

interface Read extends Call {
  readonly pair: Watched;
}

/** One process revokes the grants and sends all reads, so one clock decides if a read began after a commit. */
describe.skipIf(whyNot !== null)('a grant that is revoked under full load', () => {
  let database: FreshDatabase;
  let side: OperatorSide;
  let services: RunningService[];
  let watched: Watched[];

  beforeAll(async () => {
    database = await createMigratedPostgresDatabase();
    const environment = {
      DATABASE_URL: database.url,
      SIGNING_KEY_FILE: inject('signingKeyFile'),
      RATE_LIMIT_POINTS: '1000000',
    };
    side = await openOperatorSide(environment);
    watched = [];
    for (let count = 0; count < pairs; count += 1) {
      watched.push({ ...(await createPair(side)), state: 'granted', since: 0 });
    }
    services = [await startServiceProcess(environment), await startServiceProcess(environment)];
  });
  afterAll(async () => {
    killLeftovers();
    await side?.close();
    await database?.drop();
  });

  test('allows all reads before its revocation is committed, and no read afterwards, in any process', async () => {
    const seen = { reads: 0, afterCommit: 0, answeredAfterCommit: 0, refusedBefore: 0, others: 0 };
    /** The next reads of each process, with callbacks for their answers. */
    const probes = services.map(() => [] as { pair: Watched; answered: () => void }[]);
    const waiting = services.map(() => new Map<Watched, () => void>());

    const look = (process: number, { call: { pair }, sentAt, answer }: Outcome<Read>): void => {
      const status = statusOf({ answer } as Outcome);
      seen.reads += 1;
      if (status !== 200 && status !== 403) seen.others += 1;
      // A read that began before the commit proves nothing.
      if (sentAt <= pair.since) return;
      if (pair.state === 'granted' && status === 403) seen.refusedBefore += 1;
      if (pair.state !== 'revoked') return;
      seen.afterCommit += 1;
      if (status === 200) seen.answeredAfterCommit += 1;
      waiting[process]?.get(pair)?.();
      waiting[process]?.delete(pair);
    };
    const reading = services.map(({ url }, process) =>
      startTraffic<Read>(
        url,
        readersOfEach,
        () => {
          const probe = probes[process]?.shift();
          const pair = probe?.pair ?? (watched[randomInt(pairs)] as Watched);
          if (probe) waiting[process]?.set(pair, probe.answered);
          const path = `/v1/companies/${pair.companyId}/metrics`;
          return { pair, method: 'GET', path, key: pair.key };
        },
        { onOutcome: (outcome) => look(process, outcome) },
      ),
    );

    let done = 0;
    await Promise.all(
      Array.from({ length: revokers }, async (_, revoker) => {
        const own = watched.filter((_pair, index) => index % revokers === revoker);
        for (let turn = 0; done < revocations; turn += 1, done += 1) {
          const pair = own[turn % own.length] as Watched;
          pair.state = 'changing';
          await side.operator.revokeAccessRequest({ id: pair.requestId });
          Object.assign(pair, { state: 'revoked', since: performance.now() });
          await Promise.all(
            probes.map((queue) => new Promise<void>((answered) => queue.push({ pair, answered }))),
          );
          pair.state = 'changing';
          await grantAgain(side, pair);
          Object.assign(pair, { state: 'granted', since: performance.now() });
        }
      }),
    );
    await Promise.all(reading.map((traffic) => traffic.stop()));
    console.log(`${done} revocations: ${JSON.stringify(seen)}`);
    expect(seen).toMatchObject({ answeredAfterCommit: 0, refusedBefore: 0, others: 0 });
    expect(seen.afterCommit).toBeGreaterThanOrEqual(revocations * services.length);
    expect(seen.reads).toBeGreaterThan(seen.afterCommit);
  });
});
