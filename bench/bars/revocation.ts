import { performance } from 'node:perf_hooks';
import { compose } from '../../gateway/compose.ts';
import { readConfig } from '../../gateway/config.ts';
import { createRateLimiter } from '../../gateway/rate-limit/rate-limiter.ts';
import { createRandom } from '../data/random.ts';
import { defaultSizes, portfolioSize } from '../data/sizes.ts';
import { startReaders } from '../load/readers.ts';
import { toBytes } from '../load/requests.ts';
import { describeMachine } from '../machine.ts';
import { readOptions } from '../options.ts';
import { startProgram } from '../program.ts';
import { writeReport } from '../report/index.ts';
import { writeResult } from '../results.ts';
import { withClient } from '../servers.ts';
import { type Setting, say, seed, withSetting } from '../setting.ts';
import { metricsPath } from '../workloads.ts';

/**
 * Two processes under full load while one grant after the other is revoked through the product's own use case, in this
 * process, which also sends all reads: one clock tells which read began after which commit.
 */
const processes = 2;
const revokers = 4;
/** Grants that stay, so that there is always something to read. */
const keptInvestors = 20;

const { numbers, out, isSmoke } = readOptions(
  { revocations: 10_000, connections: 64 },
  { revocations: 200, connections: 16 },
);
const { revocations, connections } = numbers;
const loadInvestors = keptInvestors + Math.ceil(revocations / portfolioSize);
const sizes = { ...defaultSizes, points: 260_000, requests: 0, loadInvestors };

interface Grant {
  readonly requestId: string;
  readonly bytes: Buffer;
  begunAt: number;
  committedAt: number;
}

await withSetting(sizes, async (setting) => {
  const machine = await describeMachine();
  const grants = await listGrants(setting);
  const toRevoke = createRandom(seed).sample(
    grants.slice(keptInvestors * portfolioSize),
    revocations,
  );
  const services = await Promise.all(
    Array.from({ length: processes }, () => startProgram('ours', setting)),
  );
  const limiter = createRateLimiter({ points: 1, windowSeconds: 1, redisUrls: null });
  const { database, operatorUseCases } = await compose(
    readConfig({ DATABASE_URL: setting.databaseUrl }),
    { role: 'command', rateLimiter: limiter, onError: (error) => say(String(error)) },
  );

  const random = createRandom(seed + 1);
  const probes = new Map(services.map(({ port }) => [port, [] as Grant[]]));
  const seen = { reads: 0, readsAfterCommit: 0, answeredAfterCommit: 0, refusedBefore: 0 };
  const failures: Record<string, number> = {};
  const fail = (what: string) => {
    failures[what] = (failures[what] ?? 0) + 1;
  };
  const readers = startReaders<Grant>({
    ports: services.map(({ port }) => port),
    connections,
    // A grant that has just been revoked is asked for at once, at every process.
    next: (port) => probes.get(port)?.shift() ?? random.pick(grants),
    bytesOf: ({ bytes }) => bytes,
    onRead({ target, sentAt, answeredAt, answer: { status } }) {
      seen.reads += 1;
      const wasRevoked = target.committedAt < sentAt;
      if (wasRevoked) seen.readsAfterCommit += 1;
      if (status === 200) seen.answeredAfterCommit += wasRevoked ? 1 : 0;
      else if (status !== 403) fail(String(status));
      else if (answeredAt < target.begunAt) seen.refusedBefore += 1;
    },
    onEnd: (error) => fail(error.message),
  });

  const startedAt = performance.now();
  const waiting = [...toRevoke];
  await Promise.all(
    Array.from({ length: revokers }, async () => {
      for (let grant = waiting.pop(); grant !== undefined; grant = waiting.pop()) {
        grant.begunAt = performance.now();
        await operatorUseCases.revokeAccessRequest({ id: grant.requestId });
        grant.committedAt = performance.now();
        for (const queue of probes.values()) queue.push(grant);
      }
    }),
  );
  const seconds = (performance.now() - startedAt) / 1_000;
  await readers.stop();
  await Promise.all(services.map((service) => service.stop()));
  await database.close();
  limiter.close();

  writeResult(out, 'revocation', {
    machine,
    command: ['node bench/bars/revocation.ts', ...process.argv.slice(2)].join(' '),
    isSmoke,
    processes,
    connections,
    revocations: toRevoke.length,
    seconds,
    ...seen,
    failures,
  });
  say(JSON.stringify({ seconds, ...seen, failures }));
  say(`the report is in ${writeReport(out)}`);
  if (seen.answeredAfterCommit + seen.refusedBefore + Object.keys(failures).length > 0) {
    process.exitCode = 1;
  }
});

async function listGrants({ databaseUrl, world }: Setting): Promise<Grant[]> {
  const { rows } = await withClient(databaseUrl, (client) =>
    client.query(
      `select id, investor_id, company_id from access_request where status = 'approved'`,
    ),
  );
  const ids = new Map(
    rows.map(({ id, investor_id, company_id }) => [`${investor_id} ${company_id}`, id]),
  );
  return world.underLoad.flatMap((investor) =>
    investor.companies.map((companyId) => ({
      requestId: ids.get(`${investor.id} ${companyId}`),
      bytes: toBytes({
        method: 'GET',
        path: metricsPath(companyId),
        key: investor.key.secret,
        minBytes: 0,
      }),
      begunAt: Number.POSITIVE_INFINITY,
      committedAt: Number.POSITIVE_INFINITY,
    })),
  );
}
