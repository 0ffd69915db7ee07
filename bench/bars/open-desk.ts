import { type Composition, compose } from '../../gateway/compose.ts';
import { readConfig } from '../../gateway/config.ts';
import { createHttpServer } from '../../gateway/http/server.ts';
import { createLogger } from '../../gateway/logs/logger.ts';
import { createRateLimiter } from '../../gateway/rate-limit/rate-limiter.ts';

export interface OpenDesk extends AsyncDisposable {
  readonly service: Composition;
  /** Signs a new contact in, and resolves to what asks for whole pages, from the request to the last byte of the answer. */
  signIn(
    owner: { readonly companyId: string } | { readonly investorId: string },
  ): Promise<(url: string) => Promise<string>>;
}

/** The service over a database, with the pages of its desk, in this process. */
export async function openDesk(databaseUrl: string): Promise<OpenDesk> {
  const config = readConfig({ DATABASE_URL: databaseUrl });
  const rateLimiter = createRateLimiter({ points: 1_000_000, windowSeconds: 60, redisUrls: null });
  const service = await compose(config, {
    role: 'service',
    rateLimiter,
    onError: (error) => process.stderr.write(`${error}\n`),
  });
  const { operatorUseCases, contactUseCases } = service;
  const app = await createHttpServer({
    ...service,
    hasDesk: true,
    grantTtlDays: 365,
    rateLimiter,
    logger: createLogger('silent'),
    graphql: config.graphql,
    publicUrl: () => 'http://127.0.0.1',
    now: () => new Date(),
    listPublicKeys: operatorUseCases.listPublicKeys,
    health: { rateLimiter: rateLimiter.health, database: async () => 'ok' },
  });
  return {
    service,
    async signIn(owner) {
      await operatorUseCases.addContact({ ...owner, email: 'dana@example.com' });
      const { token } = await operatorUseCases.createSignInLink(owner);
      const opened = await contactUseCases.signIn({ token, previousSession: null, device: null });
      const headers = { cookie: `portfolio_desk=${opened?.session}` };
      return async (url) => {
        const { statusCode, body } = await app.inject({ url, headers });
        if (statusCode !== 200) throw new Error(`${url} answered ${statusCode}`);
        return body;
      };
    },
    async [Symbol.asyncDispose]() {
      await app.close();
      rateLimiter.close();
      await service.database.close();
    },
  };
}

/** In milliseconds. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return Math.round((performance.now() - startedAt) * 100) / 100;
}
