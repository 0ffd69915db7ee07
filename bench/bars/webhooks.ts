import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { noPrefetchedFacts, scopes } from '../../core/index.ts';
import { defaultSizes, ofReaders } from '../data/sizes.ts';
import { readOptions } from '../options.ts';
import { startProgram } from '../program.ts';
import { withSetting } from '../setting.ts';
import { percentile } from '../statistics.ts';
import { createPushers, refusedOf, startPushing, writeSigningKey } from './pushes/pushers.ts';
import type { OpenUseCases } from './use-cases.ts';

/**
 * How long after the answer to a push the webhook of an investor with a grant comes, while many companies push: each once,
 * and none to an investor without a grant.
 */
const { numbers, isSmoke } = readOptions(
  { companies: 40, perSecond: 50, records: 20, seconds: 30, waitSeconds: 60 },
  { companies: 3, perSecond: 5, seconds: 2, waitSeconds: 20 },
);
const { companies, perSecond, records, seconds, waitSeconds } = numbers;
/** In milliseconds, at the 99th percentile. */
const bar = 5_000;

// Nobody reads meanwhile.
const sizes = { ...ofReaders(true), longHistories: defaultSizes.longHistories };

await withSetting(sizes, async (setting) => {
  /** When the first message of each change came, and how often it came at all; by its version. */
  const arrived = new Map<string, { readonly at: number; count: number }>();
  let unwanted = 0;
  const receiver = createServer(async (request, response) => {
    const { data } = JSON.parse(await bodyOf(request));
    response.writeHead(204).end();
    if (request.url !== '/granted') unwanted += 1;
    const entry = arrived.getOrInsertComputed(data.data_version, () => ({
      at: performance.now(),
      count: 0,
    }));
    entry.count += 1;
  });
  await new Promise<void>((listening) => receiver.listen(0, '127.0.0.1', listening));
  const receiverUrl = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;

  const signingKeyFile = writeSigningKey(setting.folder);
  const pushers = await createPushers(
    setting,
    signingKeyFile,
    companies,
    async (companyId, useCases) => {
      await addListener(useCases, companyId, `${receiverUrl}/granted`, true);
      await addListener(useCases, companyId, `${receiverUrl}/not-granted`, false);
    },
  );
  const service = await startProgram('ours', {
    ...setting,
    environment: { SIGNING_KEY_FILE: signingKeyFile, WEBHOOK_ALLOW_PRIVATE: 'on' },
  });
  const url = `http://127.0.0.1:${service.port}/company/v1/data`;
  const pushing = startPushing(url, pushers, { perSecond, records });
  await sleep(seconds * 1_000);
  const { pushes } = await pushing.stop();
  const isMissing = () => pushes.some(({ dataVersion }) => !arrived.has(dataVersion));
  for (let waited = 0; isMissing() && waited < waitSeconds; waited += 1) await sleep(1_000);
  await service.stop();
  receiver.close();

  const delays = pushes.map(({ dataVersion, answeredAt }) =>
    Math.max(0, (arrived.get(dataVersion)?.at ?? Number.POSITIVE_INFINITY) - answeredAt),
  );
  const missing = delays.filter((delay) => delay === Number.POSITIVE_INFINITY).length;
  const doubles = [...arrived.values()].filter(({ count }) => count > 1).length;
  const p99 = percentile(delays, 0.99);
  process.stdout.write(
    `${JSON.stringify({ pushes: pushes.length, median: percentile(delays, 0.5), p99, missing, doubles, unwanted, refused: refusedOf(pushes) })}\n`,
  );
  const isWhole = missing === 0 && unwanted === 0;
  // A smoke run shows that the script works; its times tell nothing.
  if (!isWhole || (!isSmoke && p99 > bar)) process.exitCode = 1;
});

async function bodyOf(request: IncomingMessage): Promise<string> {
  return Buffer.concat(await Array.fromAsync(request)).toString();
}

/** An investor with the company in its portfolio and an endpoint, and a grant or none. */
async function addListener(
  { operatorUseCases, investorUseCases }: OpenUseCases,
  companyId: string,
  url: string,
  isGranted: boolean,
): Promise<void> {
  const environment = 'live';
  const { id: investorId } = await operatorUseCases.createInvestor({ name: url, environment });
  await operatorUseCases.addToPortfolio({ investorId, companyId });
  await operatorUseCases.addWebhook({ investorId, url, types: ['company_data.updated'] });
  if (!isGranted) return;
  const { accessRequest } = await investorUseCases.requestAccess(
    {
      kind: 'investor',
      credentialId: 'key_bench',
      investorId,
      environment,
      scopes,
      prefetchedFacts: noPrefetchedFacts,
      budget: null,
      requestId: 'req_bench',
      protocol: 'rest',
    },
    { companyId, scopes: ['metrics:read'] },
  );
  await operatorUseCases.approveAccessRequest({ id: accessRequest.id });
}
