import { readFile } from 'node:fs/promises';
import fc from 'fast-check';
import { buildSchema } from 'graphql';
import { expect, it } from 'vitest';
import { writeNodeId } from '../../graphql-adapter/node-ids.ts';
import { appRouter } from '../../trpc-adapter/router.ts';
import { deskCookie, signIn } from '../desk/desk.ts';
import { createGraphqlClient } from '../graphql/support.ts';
import { agents, inHaste } from '../mcp/support.ts';
import { embedded, postgres } from '../support/backends.ts';
import { closedAfterAll } from '../support/closed.ts';
import { expectOk } from '../support/expectations.ts';
import { importLines, sampleData } from '../support/fixtures.ts';
import {
  type Answer,
  createHttpClient,
  type HttpClient,
  type Json,
} from '../support/http-client.ts';
import { isFull } from '../support/property-runs.ts';
import { startServiceOn } from '../support/service-on.ts';
import { createTrpcClient } from '../trpc/support.ts';
import { deskRequest, mcpRequest, trpcRequest } from './fuzz/calls.ts';
import { graphqlRequest } from './fuzz/graphql.ts';
import { malformedRequest } from './fuzz/malformed.ts';
import { anyRequest, restRequest } from './fuzz/rest.ts';
import { bodyMark, type Draw, type FuzzRequest, type Pool } from './fuzz/values.ts';

/**
 * GraphQL requests follow the schema, REST requests the OpenAPI documents, and MCP requests the
 * schemas of the tools. Other requests break the rules of HTTP. FUZZ_REQUESTS sets the number of
 * requests.
 */
const atOnce = 20;
const rounds = Math.ceil(Number(process.env.FUZZ_REQUESTS ?? (isFull ? 4_000 : 1_600)) / atOnce);

const mostRounds = 100;

const service = await startServiceOn(postgres.isUnreachable ? embedded : postgres, {
  isReachedDirectly: true,
  environment: { RATE_LIMIT_POINTS: '1000000' },
});
const http = await closedAfterAll(createHttpClient(service.url));
const rest = await closedAfterAll(createHttpClient(service.url, service.check));
const graphql = await closedAfterAll(createGraphqlClient(service.url, service.url));
const trpc = await closedAfterAll(createTrpcClient(service.url, service.url));

/** Check every answer against the rules of its protocol. */
const clients: Readonly<Record<string, Pick<HttpClient, 'call'>>> = {
  REST: rest,
  malformed: rest,
  company: rest,
  GraphQL: { call: graphql.send },
  tRPC: { call: trpc.send },
};

/** A caller, and the texts that no answer to this caller may contain. */
interface Caller {
  readonly name: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly hidden: readonly string[];
  request(draw: Draw): FuzzRequest;
}

/** No answer may have these statuses. 503 is missing, because a busy machine may cause it. */
const failures = [500, 502, 504];

let coined = 0;

/** Creates a word that occurs nowhere else, so that a test can find it in an answer. */
const coin = () => `Qz${(++coined).toString(36).padStart(3, '0')}zQ`;

/** An investor and a company with data, with unique names and numbers. */
async function createParty() {
  const { operator, fixtures } = service;
  const investorName = `${coin()} Capital`;
  const investor = await operator.createInvestor({
    name: investorName,
    environment: 'live',
    sandbox: false,
  });
  const companyName = `${coin()} Works`;
  const company = await fixtures.companyOf(investor, companyName);
  const [label, account] = [coin(), coin()];
  const amount = 700_000_000 + coined * 7_919;
  await importLines(
    operator,
    sampleData(company.id).map((line: Json) => ({
      ...line,
      ...(line.label && { label }),
      ...(line.account_name && { account_name: account }),
      ...(line.raw_value && { raw_value: amount }),
    })),
  );
  const { key, keyId } = await fixtures.key(investor);
  const { key: companyKey, keyId: companyKeyId } = await fixtures.companyKey(company.id);
  const ids = { investor: investor.id, company: company.id, keyId, companyKeyId };
  const data = [label, account, String(amount)];
  return { key, companyKey, company, ids, data, names: [investorName, companyName] };
}

async function createWorld() {
  const { fixtures } = service;
  const [own, other, another] = [await createParty(), await createParty(), await createParty()];
  const granted = await fixtures.grant(own);
  const [known, unknown] = [await fixtures.grant(other), await fixtures.grant(another)];
  return {
    own,
    granted,
    test: await fixtures.portfolio({ environment: 'test' }),
    limited: await fixtures.key({ id: own.ids.investor }, { rateLimit: 50 }),
    // An answer may repeat parts of its request, so no request may contain the forbidden texts.
    foreign: [other.ids.company, known.id],
    hidden: [
      ...[other, another].flatMap(({ names, data }) => [...names, ...data]),
      ...Object.values(another.ids),
      ...[other.ids.investor, other.ids.keyId, other.ids.companyKeyId, unknown.id],
    ],
  };
}

async function createCallers(): Promise<{ callers: Caller[]; foreign: readonly string[] }> {
  const { own, granted, test, limited, foreign, hidden } = await createWorld();
  const keys = [own.key, own.key, own.key, test.key, limited.key, own.companyKey, 'nonsense'];
  const pool: Pool = {
    ids: [
      ...[own.ids.company, own.ids.company, granted.id, ...foreign, 'co_none', 'ar_none'],
      writeNodeId('metric', own.ids.company, 'cash_balance'),
      ...foreign.map((id) => writeNodeId('metric', id, 'cash_balance')),
    ],
    metricKeys: ['cash_balance', 'headcount', 'no_such_metric'],
  };
  const schema = buildSchema(await readFile('graphql-adapter/schema.graphql', 'utf8'));
  // Subscriptions end only when their client disconnects, so they are left out.
  const kinds = appRouter._def.procedures as unknown as Record<string, { _def: { type: string } }>;
  const procedures = Object.entries(kinds)
    .filter(([, { _def }]) => _def.type !== 'subscription')
    .map(([name]) => name);
  const agent = await (agents['2025-11-25'] as (typeof agents)[string])(service.url, own.key);
  const tools = (await agent.listTools()).map(inHaste);
  await agent.close();
  const contact = await signIn(service, own.company.id);
  const csrf = /name="csrf" value="([^"]+)"/.exec((await contact.get('/desk/')).text)?.[1] ?? '';
  const desk = { origin: service.url, companyId: own.ids.company, csrf };

  const ways: Readonly<Record<string, (draw: Draw) => FuzzRequest>> = {
    REST: (draw) => restRequest(draw, pool, service.document),
    malformed: (draw) => malformedRequest(draw, pool, keys),
    GraphQL: (draw) => graphqlRequest(draw, pool, schema),
    tRPC: (draw) => trpcRequest(draw, pool, procedures),
    MCP: (draw) => mcpRequest(draw, pool, tools),
    company: (draw) => restRequest(draw, pool, service.companyDocument),
    desk: (draw) => deskRequest(draw, pool, desk),
    anywhere: (draw) => anyRequest(draw, pool),
  };
  const any = (draw: Draw) => {
    // Malformed requests contain their own credentials, so they are left out.
    const names = Object.keys(ways).filter((name) => name !== 'malformed');
    return (
      ways[names[draw(fc.nat({ max: names.length - 1 }))] as string] as (typeof ways)[string]
    )(draw);
  };
  const bearer = (secret: string) => ({ authorization: `Bearer ${secret}` });
  const cookie = { cookie: `${deskCookie}=${contact.session}` };
  const all = [...hidden, ...own.names, ...own.data];
  const investor = ['REST', 'malformed', 'malformed', 'GraphQL', 'GraphQL', 'tRPC', 'MCP'] as const;
  return {
    foreign,
    callers: [
      ...investor.map((way) => ({
        name: way,
        headers: bearer(own.key),
        hidden,
        request: ways[way] as Caller['request'],
      })),
      {
        name: 'company',
        headers: bearer(own.companyKey),
        hidden,
        request: ways.company as Caller['request'],
      },
      { name: 'desk', headers: cookie, hidden, request: ways.desk as Caller['request'] },
      { name: 'anywhere', headers: bearer(own.key), hidden, request: any },
      { name: 'anywhere as a company', headers: bearer(own.companyKey), hidden, request: any },
      { name: 'anybody', headers: {}, hidden: all, request: any },
      {
        name: 'unknown',
        headers: bearer(`svc_sk_live_${'q'.repeat(32)}`),
        hidden: all,
        request: any,
      },
    ],
  };
}

it('no generated request to any interface gets a 500, data of another owner or a response in the wrong form', async () => {
  const { callers, foreign } = await createCallers();
  const seen = new Map<string, number>();

  async function send({ name, headers, hidden }: Caller, request: FuzzRequest): Promise<Answer> {
    const { method, path, raw } = request;
    const answer = await (clients[name] ?? http).call(method, path, {
      // A malformed request contains its own credential, or none.
      headers: { ...(name !== 'malformed' && headers), ...request.headers },
      ...(raw !== undefined && { raw }),
    });
    const where = () =>
      `${name}: ${method} ${path} ${raw ?? ''} → ${answer.status} ${answer.text.slice(0, 2_000)}`;
    if (failures.includes(answer.status)) throw new Error(where());
    const isDocument = path.includes('/openapi.json');
    if (!isDocument && /"code":\s*"(?:internal_error|INTERNAL_SERVER_ERROR)"/.test(answer.text))
      throw new Error(where());
    const found = hidden.filter((word) => answer.text.includes(word));
    if (found.length > 0) throw new Error(`${found.join(', ')} shown to ${where()}`);
    if (answer.status >= 400 && answer.text.includes(bodyMark)) throw new Error(where());
    const kind = `${name} ${answer.status}`;
    seen.set(kind, (seen.get(kind) ?? 0) + 1);
    return answer;
  }

  /** Expects the same answer for another owner's IDs as for unknown IDs. */
  async function compare(caller: Caller, request: FuzzRequest): Promise<void> {
    const twin = hide(request, foreign);
    if (twin === null || listsRequests.test(request.path + (request.raw ?? ''))) return;
    let told = '';
    // Simultaneous changes can make two answers differ once, but not in every attempt.
    for (let attempt = 0; attempt < 4; attempt += 1) {
      const [one, another] = [await send(caller, request), await send(caller, twin)];
      const [given, expected] = [normalise(one, foreign), normalise(another, foreign)];
      if (given === expected || [one, another].some(({ status }) => status === 503)) return;
      told = `${caller.name}: ${request.method} ${request.path} ${request.raw ?? ''}\n${given}\nbut of what is nowhere\n${expected}`;
    }
    throw new Error(told);
  }

  const property = () =>
    fc.asyncProperty(fc.gen(), async (gen) => {
      const draw: Draw = (arbitrary) => gen(() => arbitrary);
      const requests = Array.from({ length: atOnce }, () => {
        const caller = callers[draw(fc.nat({ max: callers.length - 1 }))] as Caller;
        return { caller, request: caller.request(draw) };
      });
      await Promise.all(requests.map(({ caller, request }) => send(caller, request)));
      for (const { caller, request } of requests) await compare(caller, request);
    });
  // A fast-check property keeps all its draws in memory, so there are several properties.
  for (let done = 0; done < rounds; done += mostRounds) {
    const numRuns = Math.min(mostRounds, rounds - done);
    await fc.assert(property(), { numRuns, seed: 20_261_123 + done, endOnFailure: true });
  }

  // Enough requests must pass the first checks of the service.
  const total = [...seen.values()].reduce((sum, count) => sum + count, 0);
  expect(total).toBeGreaterThanOrEqual(rounds * atOnce);
  for (const name of ['REST', 'GraphQL', 'tRPC', 'MCP', 'company', 'desk']) {
    expect(seen.get(`${name} 200`) ?? 0, `good answers of ${name}`).toBeGreaterThan(rounds / 60);
  }
  const reached = [
    ...[400, 401, 404, 405, 413, 415].map((status) => `malformed ${status}`),
    ...[
      'REST 404',
      'tRPC 207',
      'tRPC 404',
      'company 404',
      'desk 404',
      'anybody 401',
      'unknown 401',
    ],
  ];
  for (const kind of reached) expect(seen.get(kind) ?? 0, kind).toBeGreaterThan(0);
  if (process.env.FUZZ_REQUESTS !== undefined) {
    console.info(
      [...seen]
        .sort()
        .map((each) => each.join(': '))
        .join('\n'),
    );
  }
  expect(service.log.length).toBeGreaterThanOrEqual(rounds * atOnce);
  expect(service.log.filter((line) => /"level":(?:50|60)/.test(line))).toEqual([]);
  const log = service.log.join('');
  expect(log).not.toContain(bodyMark);
  expect(log).not.toMatch(/svc_[a-z]k_(live|test)_[0-9A-Za-z]/);
  expect(({} as Json).polluted).toBeUndefined();
  const later = await service.fixtures.readablePortfolio();
  expectOk(await service.get(`/v1/companies/${later.company.id}/metrics`, later.key));
}, 3_600_000);

/** These lists contain the compared requests themselves, so their answers always differ. */
const listsRequests = /access-?records|activity/i;

const nowhere = (id: string) => id.replace(/.{6}$/, 'yyyyyy');

/** Replaces another owner's IDs with unknown IDs. Returns null if the request contains none. */
function hide(request: FuzzRequest, foreign: readonly string[]): FuzzRequest | null {
  const { path, raw } = request;
  if (typeof raw === 'object') return null;
  const replace = (given: string) =>
    foreign.reduce((text, id) => text.replaceAll(id, nowhere(id)), given);
  if (replace(`${path}${raw ?? ''}`) === `${path}${raw ?? ''}`) return null;
  return { ...request, path: replace(path), ...(raw !== undefined && { raw: replace(raw) }) };
}

/**
 * Matches parts that differ in any two answers: the request ID, times, signed heads (which contain
 * a time), and the remaining points.
 */
const passing =
  /req_[0-9a-zA-Z]+|\d{4}-\d\d-\d\dT[\d:.]+Z|eyJ[\w-]+\.eyJ[\w-]+\.[\w-]+|\b[1-9]\d{5}\b/g;

function normalise({ status, text }: Answer, foreign: readonly string[]): string {
  const body = foreign.reduce((given, id) => given.replaceAll(nowhere(id), id), text);
  return `${status} ${body.replaceAll(passing, '')}`;
}
