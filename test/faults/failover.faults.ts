import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { createHttpClient } from '../support/http-client.ts';
import { killLeftovers, startServiceProcess } from '../support/processes.ts';
import { findLostRequests, findUnrecorded } from './support/books.ts';
import {
  asOperator,
  type Consent,
  callsOf,
  consentIn,
  createPair,
  createRequester,
  grantAgain,
  type PairCall,
} from './support/consents.ts';
import { isDataRead } from './support/outage.ts';
import { type Confirmation, canMakeClusters, ReplicatedServers } from './support/replicated.ts';
import { rounds } from './support/rounds.ts';
import { countStatuses, type Outcome, startTraffic, statusOf } from './support/traffic.ts';

afterAll(killLeftovers);

/** Nine kinds of calls read each pair of investor and company. */
const pairs = 4;
const readers = 24;
const writers = 2;

interface Seen {
  /** Calls sent after the consent had changed on the new primary, by status. */
  readonly late: Record<string, number>;
  /** The late calls that still return the old consent, by kind of call. */
  readonly stale: Record<string, number>;
  readonly served: number;
  readonly unrecorded: number;
  readonly lost: number;
  readonly readiness: number;
}

/**
 * Freezes the primary under load, promotes a standby and changes consents there. The old primary
 * then resumes and doesn't notice the failover, and the service still has connections to it.
 */
async function failOver(
  servers: ReplicatedServers,
  how: { leaving: 'every standby' | 'the new primary' },
): Promise<Seen> {
  const { primary } = servers;
  try {
    return await failOverUnderLoad(servers, how);
  } finally {
    if (servers.primary !== primary) await servers.rejoin(primary);
  }
}

async function failOverUnderLoad(
  servers: ReplicatedServers,
  { leaving }: { leaving: 'every standby' | 'the new primary' },
): Promise<Seen> {
  const { primary } = servers;
  const {
    granted,
    revoked,
    stranger: requester,
  } = await asOperator(primary.url, async (side) => {
    const made: Consent[] = [];
    for (let count = 0; count < 2 * pairs; count += 1) made.push(await createPair(side));
    const refused = made.slice(pairs);
    for (const { requestId } of refused) await side.operator.revokeAccessRequest({ id: requestId });
    return {
      granted: made.slice(0, pairs),
      revoked: refused,
      stranger: await createRequester(side, 200),
    };
  });
  const service = await startServiceProcess({
    DATABASE_URL: primary.url,
    SIGNING_KEY_FILE: inject('signingKeyFile'),
    RATE_LIMIT_POINTS: '1000000',
  });
  const before = new Map([...granted, ...revoked].map((pair) => [pair, { ...pair }]));
  const calls = [...before.values()].flatMap(callsOf);
  let position = 0;
  const reading = startTraffic<PairCall>(service.url, readers, () => {
    position = (position + 1) % calls.length;
    return calls[position] ?? null;
  });
  const writing = startTraffic(service.url, writers, () => {
    const company_id = requester.companies.shift();
    if (company_id === undefined) return null;
    const body = { company_id, scopes: ['metrics:read'] };
    return { method: 'POST', path: '/v1/access-requests', key: requester.key, body };
  });
  await reading.more(200);

  primary.freeze();
  const old = await servers.failOver(leaving);
  await asOperator(servers.primary.url, async (side) => {
    for (const { requestId } of granted) await side.operator.revokeAccessRequest({ id: requestId });
    for (const pair of revoked) await grantAgain(side, pair);
  });
  const changedAt = performance.now();
  old.thaw();

  const isLate = ({ sentAt }: Outcome) => sentAt > changedAt;
  await reading.more(2 * readers, isLate);
  const client = createHttpClient(service.url);
  const readiness = await client.call('GET', '/readyz');
  client.close();
  const [reads, writes] = await Promise.all([reading.stop(), writing.stop()]);
  await service.stop('SIGKILL');

  const late = reads.filter(isLate);
  const wasGranted = new Set(granted.map(({ companyId }) => companyId));
  const stale = late.filter(
    (read) =>
      consentIn(read) === (wasGranted.has(read.call.pair.companyId) ? 'granted' : 'refused'),
  );
  const { url } = servers.primary;
  const seen: Seen = {
    late: countStatuses(late),
    stale: countKinds(stale),
    served: reads.filter((read) => statusOf(read) === 200).length,
    unrecorded: (await findUnrecorded(url, reads.filter(isDataRead))).length,
    lost: (await findLostRequests(url, writes)).length,
    readiness: readiness.status,
  };
  console.log(`${leaving} has left: ${JSON.stringify(seen)}`);
  return seen;
}

function countKinds(reads: readonly Outcome<PairCall>[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const read of reads) {
    const what = `${read.call.kind} ${consentIn(read)}`;
    counts[what] = (counts[what] ?? 0) + 1;
  }
  return counts;
}

function useServers(standbys: number, confirmation: Confirmation): () => ReplicatedServers {
  let servers: ReplicatedServers | undefined;
  beforeAll(async () => {
    servers = await ReplicatedServers.start(standbys, confirmation);
  });
  afterAll(() => servers?.dispose());
  return () => {
    if (servers === undefined) throw new Error('the servers did not start');
    return servers;
  };
}

const numbers = Array.from({ length: rounds(2) }, (_, index) => index + 1);

describe.skipIf(!canMakeClusters)(
  'a frozen primary that resumes after a standby has taken over',
  () => {
    const expectPromise = ({ late, stale, served, unrecorded, lost, readiness }: Seen) => {
      expect(served).toBeGreaterThan(50);
      expect(stale).toEqual({});
      // The late calls met only the expected outage.
      expect(Object.keys(late)).toEqual(['503']);
      expect({ unrecorded, lost, readiness }).toEqual({ unrecorded: 0, lost: 0, readiness: 503 });
    };

    describe('in a group of two servers', () => {
      const servers = useServers(1, 'any standby');
      test.each(numbers)(
        'returns no response that is based on the old consent, round %i',
        async () => {
          expectPromise(await failOver(servers(), { leaving: 'the new primary' }));
        },
      );
    });

    describe('in a group of three servers, after both standbys have stopped following the frozen primary', () => {
      const servers = useServers(2, 'any standby');
      test.each(numbers)(
        'returns no response that is based on the old consent, round %i',
        async () => {
          expectPromise(await failOver(servers(), { leaving: 'every standby' }));
        },
      );
    });

    // The next two tests show that the guarantee needs its condition, and that the tests can detect stale reads.
    describe('in a group of three servers, if one standby still follows the frozen primary', () => {
      const servers = useServers(2, 'any standby');
      test('returns responses that are based on the old consent, as expected for this configuration', async () => {
        const { stale } = await failOver(servers(), { leaving: 'the new primary' });
        expect(stale['data granted']).toBeGreaterThan(0);
      });
    });

    describe('with commits that wait for no standby', () => {
      const servers = useServers(1, 'no standby');
      test('returns responses that are based on the old consent, as expected for this configuration', async () => {
        const { stale } = await failOver(servers(), { leaving: 'the new primary' });
        expect(stale['data granted']).toBeGreaterThan(0);
        expect(stale['portfolio granted']).toBeGreaterThan(0);
      });
    });
  },
);
