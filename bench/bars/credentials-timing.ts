import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { performance } from 'node:perf_hooks';
import { scopes } from '../../core/index.ts';
import { compose } from '../../gateway/compose.ts';
import { readConfig } from '../../gateway/config.ts';
import { createRateLimiter } from '../../gateway/rate-limit/rate-limiter.ts';
import { createRandom } from '../data/random.ts';
import { migrate } from '../migrate.ts';
import { startProgram } from '../program.ts';
import { createDatabase, requireServers } from '../servers.ts';
import { say, seed } from '../setting.ts';
import { redisUrl } from '../settings.ts';
import { median } from '../statistics.ts';

/**
 * Whether the time of a 401 tells an unknown credential from a revoked or an expired one, and that of a 404 a company of
 * others from one that is nowhere: so many samples of each, in random order, one at a time on one connection.
 */
const samples = Number(process.argv[2] ?? 2_000);

/** Nobody is turned away. */
const rateLimit = 1_000_000;

interface Case {
  readonly kind: string;
  readonly path: string;
  readonly key: string;
}

await requireServers();
const { url: databaseUrl, drop } = await createDatabase();
try {
  migrate(databaseUrl);
  const limiter = createRateLimiter({ points: 1, windowSeconds: 1, redisUrls: null });
  const { database, operatorUseCases: operator } = await compose(
    readConfig({ DATABASE_URL: databaseUrl }),
    { role: 'command', rateLimiter: limiter, onError: (error) => say(String(error)) },
  );
  const environment = 'live';
  const investor = await operator.createInvestor({ name: 'Timing', environment });
  const company = await operator.createCompany({ name: 'Timed', environment });
  await operator.addToPortfolio({ investorId: investor.id, companyId: company.id });
  const mint = (expiresAt?: Date) =>
    operator.createApiKey({ investorId: investor.id, scopes, ...(expiresAt && { expiresAt }) });
  const [revoked, expired] = [await mint(), await mint(new Date(Date.now() + 1_000))];
  await operator.revokeApiKey({ id: revoked.key.id });
  const valid = await operator.createApiKey({ investorId: investor.id, scopes, rateLimit });
  const foreign = await operator.createCompany({ name: 'Of others', environment });
  const other = await operator.createInvestor({ name: 'Other', environment });
  await operator.addToPortfolio({ investorId: other.id, companyId: foreign.id });
  const keys = {
    unknown: `svc_sk_live_${'A'.repeat(32)}`,
    revoked: revoked.secret,
    expired: expired.secret,
  };
  const folder = tmpdir();
  const service = await startProgram('ours', {
    databaseUrl,
    redisUrl,
    role: '',
    logFolder: folder,
  });
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });

  for (const path of ['/v1/companies', `/v1/companies/${company.id}/metrics`]) {
    await compare(
      path.slice(0, 14),
      401,
      Object.entries(keys).map(([kind, key]) => ({ kind, path, key })),
    );
  }
  const nowhere = foreign.id.replace(/.{6}$/, 'zzzzzz');
  const companies = { unknown: nowhere, foreign: foreign.id };
  await compare(
    'company',
    404,
    Object.entries(companies).map(([kind, id]) => ({
      kind,
      path: `/v1/companies/${id}/metrics`,
      key: valid.secret,
    })),
  );
  agent.destroy();
  await service.stop();
  await database.close();
  limiter.close();

  async function compare(what: string, status: number, cases: readonly Case[]): Promise<void> {
    const order = createRandom(seed).sample(
      cases.flatMap((one) => Array<Case>(samples).fill(one)),
      cases.length * samples,
    );
    for (const one of order.slice(0, 300)) await time(one, status);
    const times = new Map(cases.map(({ kind }) => [kind, [] as number[]]));
    for (const one of order) times.get(one.kind)?.push(await time(one, status));
    for (const [kind, values] of times) {
      const sorted = values.toSorted((a, b) => a - b);
      const at = (part: number) => Math.round(sorted[Math.floor(part * sorted.length)] ?? 0);
      say(`${what} ${kind}: ${at(0.1)} µs, median ${Math.round(median(sorted))}, ${at(0.9)}`);
    }
  }

  /** Microseconds until the whole answer is there. */
  async function time({ path, key }: Case, status: number): Promise<number> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const begun = performance.now();
    const options = {
      port: service.port,
      path,
      agent,
      headers: { authorization: `Bearer ${key}` },
    };
    request(options, (answer) => {
      if (answer.statusCode !== status) reject(new Error(`answered ${answer.statusCode}`));
      answer.resume().on('end', resolve);
    })
      .on('error', reject)
      .end();
    await promise;
    return (performance.now() - begun) * 1_000;
  }
} finally {
  await drop();
}
