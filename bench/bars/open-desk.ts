import { createHttpServer } from '../../gateway/http/server.ts';
import { createLogger } from '../../gateway/logs/logger.ts';
import { type Spread, spreadOf } from '../statistics.ts';
import { type OpenUseCases, openUseCases } from './use-cases.ts';

export interface OpenDesk extends AsyncDisposable {
  readonly service: OpenUseCases;
  /** Signs a new contact in, and resolves to what asks for whole pages, from the request to the last byte of the answer. */
  signIn(owner: { readonly companyId: string } | { readonly investorId: string }): Promise<AskPage>;
}

/** With a form, that is sent; where it leads is not gone to. */
export type AskPage = (url: string, form?: FormData) => Promise<string>;

const publicUrl = 'http://127.0.0.1';

/** The service over a database, with the pages of its desk, in this process. */
export async function openDesk(
  databaseUrl: string,
  environment: Readonly<Record<string, string>> = {},
): Promise<OpenDesk> {
  const service = await openUseCases(databaseUrl, environment, 'service');
  const { operatorUseCases, contactUseCases, config, rateLimiter } = service;
  const app = await createHttpServer({
    ...service,
    hasDesk: true,
    grantTtlDays: 365,
    logger: createLogger('silent'),
    graphql: config.graphql,
    publicUrl: () => publicUrl,
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
      const cookie = `portfolio_desk=${opened?.session}`;
      return async (url, form) => {
        const { statusCode, body } = await app.inject({
          url,
          headers: { cookie },
          ...(form && (await postOf(form, cookie))),
        });
        if (statusCode !== 200 && !(form && statusCode === 303)) {
          throw new Error(`${url} answered ${statusCode}: ${body.slice(0, 2_000)}`);
        }
        return body;
      };
    },
    async [Symbol.asyncDispose]() {
      await app.close();
      await service[Symbol.asyncDispose]();
    },
  };
}

/** As a browser sends a form: with a file in parts, else as one text. */
async function postOf(form: FormData, cookie: string) {
  const hasFile = [...form.values()].some((value) => typeof value !== 'string');
  const texts = [...form].map(([name, value]): [string, string] => [name, String(value)]);
  const sent = new Response(hasFile ? form : new URLSearchParams(texts));
  const type = sent.headers.get('content-type') ?? '';
  return {
    method: 'POST',
    headers: { cookie, origin: publicUrl, 'content-type': type },
    payload: Buffer.from(await sent.arrayBuffer()),
  } as const;
}

/** In milliseconds; the first time, when nothing is in memory yet, does not count. */
export async function timedOften(times: number, work: () => Promise<unknown>): Promise<Spread> {
  const samples: number[] = [];
  for (let sample = 0; sample <= times; sample += 1) samples.push(await timed(work));
  return spreadOf(samples.slice(1));
}

/** In milliseconds. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return Math.round((performance.now() - startedAt) * 100) / 100;
}
