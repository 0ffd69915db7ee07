import { generateKeyPairSync } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { compose } from '../../../gateway/compose.ts';
import { readConfig } from '../../../gateway/config.ts';
import { createRateLimiter } from '../../../gateway/rate-limit/rate-limiter.ts';
import { type Setting, say } from '../../setting.ts';

export interface Pusher {
  readonly secret: string;
  count: number;
}

export interface Pushed {
  /** The time from the first attempt to the accepted push, in milliseconds. */
  readonly took: number;
  /** How often the service rejected the push for the moment before accepting it. */
  readonly refused: number;
}

/** Status codes of a temporary rejection: the caller is above its rate limit, or the service is busy. */
const busy: readonly number[] = [429, 503];

export function writeSigningKey(folder: string): string {
  const path = join(folder, 'signing-key.pem');
  const { privateKey } = generateKeyPairSync('ed25519');
  writeFileSync(path, privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 });
  return path;
}

export async function createPushers(
  { databaseUrl }: Setting,
  signingKeyFile: string,
  companies: number,
): Promise<Pusher[]> {
  const config = readConfig({ DATABASE_URL: databaseUrl, SIGNING_KEY_FILE: signingKeyFile });
  const rateLimiter = createRateLimiter({ points: 1_000_000, windowSeconds: 60, redisUrls: null });
  const onError = (error: unknown) => say(String(error));
  const service = await compose(config, { role: 'command', rateLimiter, onError });
  const { operatorUseCases } = service;
  await operatorUseCases.registerSigningKey();
  const pushers: Pusher[] = [];
  for (let count = 0; count < companies; count += 1) {
    const { id: companyId } = await operatorUseCases.createCompany({
      name: `Pusher ${count}`,
      environment: 'live',
    });
    const { secret } = await operatorUseCases.createCompanyKey({
      companyId,
      scopes: ['data:write'],
    });
    pushers.push({ secret, count: 0 });
  }
  rateLimiter.close();
  await service.database.close();
  return pushers;
}

/** Each record is new or changed. After a temporary rejection, waits as long as the response demands and retries. */
export async function push(url: string, pusher: Pusher, size: number): Promise<Pushed> {
  pusher.count += 1;
  const period = (index: number) =>
    new Date(Date.UTC(2000, 0, 1 + Math.floor(index / 10))).toISOString().slice(0, 10);
  const body = JSON.stringify({
    records: Array.from({ length: size }, (_, index) => ({
      type: 'metric',
      key: `metric_${index % 10}`,
      currency: 'USD',
      period: period(index),
      source: { system: 'Ledger', method: 'api', last_synced: '2026-11-01T04:00:00Z' },
      raw_value: pusher.count,
    })),
  });
  const startedAt = performance.now();
  const send = () =>
    fetch(url, {
      method: 'POST',
      headers: { authorization: `Bearer ${pusher.secret}`, 'content-type': 'application/json' },
      body,
    });
  let refused = 0;
  let answer = await send();
  while (busy.includes(answer.status)) {
    refused += 1;
    await answer.arrayBuffer();
    await sleep(Number(answer.headers.get('retry-after') ?? 1) * 1_000);
    answer = await send();
  }
  const text = await answer.text();
  const took = performance.now() - startedAt;
  if (answer.status !== 200) throw new Error(`a push was answered ${answer.status}: ${text}`);
  const { created, revised } = JSON.parse(text);
  if (created + revised !== size) throw new Error(`a push of ${size} came to ${text}`);
  return { took, refused };
}

export const refusedOf = (pushes: readonly Pushed[]): number =>
  pushes.reduce((sum, { refused }) => sum + refused, 0);

/** Sends pushes at a steady rate, from one company after the other. Doesn't wait for their results. */
export function startPushing(
  url: string,
  pushers: readonly Pusher[],
  { perSecond, records }: { readonly perSecond: number; readonly records: number },
) {
  const startedAt = performance.now();
  const running = new Set<Promise<unknown>>();
  const pushes: Pushed[] = [];
  let isStopping = false;
  let failure: unknown;

  async function run(): Promise<void> {
    for (let sent = 0; !isStopping; sent += 1) {
      await sleep(Math.max(0, startedAt + (sent * 1_000) / perSecond - performance.now()));
      const pusher = pushers[sent % pushers.length] as Pusher;
      const pushing = push(url, pusher, records)
        .then((pushed) => pushes.push(pushed))
        .catch((error: unknown) => {
          failure ??= error;
        })
        .finally(() => running.delete(pushing));
      running.add(pushing);
    }
  }
  const sending = run();
  return {
    async stop() {
      isStopping = true;
      await sending;
      await Promise.all(running);
      if (failure !== undefined) throw failure;
      return { pushes, perSecond: pushes.length / ((performance.now() - startedAt) / 1_000) };
    },
  };
}
