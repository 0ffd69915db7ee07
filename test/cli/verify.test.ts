import { createPrivateKey } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { calculateJwkThumbprint } from 'jose';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import {
  camelMetric,
  receiptItem,
  receiptWithTerms,
  restMetric,
  samplePayload,
  sampleReceipts,
} from '../verify/samples.ts';
import {
  createKey,
  exampleKey,
  jwksOf,
  type SigningKey,
  signMetric,
  signReceipt,
} from '../verify/signing.ts';
import { type OwnDatabase, openOwnDatabase } from './database.ts';
import { type Json, runCommand } from './harness.ts';

let folder: string;
let jwks: string;
const stranger = createKey('stranger');

const metricOf = (key: SigningKey, change: Partial<typeof samplePayload> = {}) => {
  const payload = { ...samplePayload, ...change };
  return restMetric(payload, signMetric(payload, key));
};
const metric = metricOf(exampleKey);
const receipts = sampleReceipts.map((payload) => receiptItem(payload, exampleKey));
const list = (...data: unknown[]) => ({ object: 'list', data, has_more: false, next_cursor: null });

async function write(name: string, content: unknown): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}

const verify = (input: unknown, ...more: string[]) =>
  runCommand(['verify', '-', '--jwks', jwks, ...more], {
    stdin: [
      typeof input === 'string' || input instanceof Uint8Array ? input : JSON.stringify(input),
    ],
  });

beforeAll(async () => {
  folder = await mkdtemp(join(inject('dataFolder'), 'verify'));
  jwks = await write('jwks.json', jwksOf(exampleKey));
});

describe('verify', () => {
  const point = { ...camelMetric(samplePayload, metric.verification.signature) };
  const { companyId, key, ...bare } = point;
  const eventOf = (place: 0 | 1 | 2) => {
    const said = sampleReceipts[place];
    return {
      id: said.event_id,
      object: 'event',
      type: said.event_type,
      created_at: said.issued_at,
      data: {
        access_request: {
          id: 'ar_1',
          company_id: 'co_harbor',
          requested_scopes: said.requested_scopes,
          approved_scopes: said.approved_scopes,
          status: said.status,
          purpose: said.purpose,
          expires_at: said.valid_until,
        },
        receipt: receipts[place],
      },
    };
  };
  const eventWith = (change: object) => {
    const event = eventOf(1);
    return { ...event, data: { ...event.data, ...change } };
  };
  const eventSaying = (change: object) =>
    eventWith({ access_request: { ...eventOf(1).data.access_request, ...change } });
  const { id, object, created_at, ...webhook } = eventOf(1);
  const inGraphql = (scope: string) => scope.toUpperCase().replace(':', '_');
  const liveUpdate = {
    id,
    type: webhook.type,
    createdAt: created_at,
    accessRequest: {
      id: 'ar_1',
      companyId: 'co_harbor',
      requestedScopes: sampleReceipts[1].requested_scopes.map(inGraphql),
      approvedScopes: sampleReceipts[1].approved_scopes.map(inGraphql),
      pendingScopes: [],
      status: 'APPROVED',
      purpose: sampleReceipts[1].purpose,
      pendingPurpose: null,
      expiresAt: sampleReceipts[1].valid_until,
    },
    receipt: receipts[1],
  };
  const liveUpdateSaying = (change: object) => ({
    ...liveUpdate,
    accessRequest: { ...liveUpdate.accessRequest, ...change },
  });
  const { requested_terms, approved_terms, paused_at } = receiptWithTerms;
  const approvalWithTerms = { receipt: receiptItem(receiptWithTerms, exampleKey) };
  const eventWithTerms = (change: object) => {
    const { access_request } = eventOf(1).data;
    return eventWith({
      access_request: { ...access_request, requested_terms, approved_terms, paused_at, ...change },
      ...approvalWithTerms,
    });
  };
  const inCamelCase = ({ metric_keys, history_from, use }: Json) => ({
    metricKeys: metric_keys,
    historyFrom: history_from,
    use: use.toUpperCase(),
  });
  const liveUpdateWithTerms = (change: object) => ({
    ...liveUpdateSaying({
      requestedTerms: inCamelCase(requested_terms),
      approvedTerms: inCamelCase(approved_terms),
      pendingTerms: null,
      pausedAt: paused_at,
      ...change,
    }),
    ...approvalWithTerms,
  });
  it.each<[string, unknown, { metrics?: number; receipts?: number }]>([
    ['in one metric', metric, { metrics: 1 }],
    ['in one metric on many lines', JSON.stringify(metric, null, 2), { metrics: 1 }],
    ['after a byte-order mark', `\ufeff${JSON.stringify(metric)}\r\n`, { metrics: 1 }],
    ['in a list', list(metric, metric), { metrics: 2 }],
    [
      'in GraphQL, in a history whose values omit the fields of their metric',
      { data: { company: { metrics: { metrics: [{ ...point, history: [bare, bare] }] } } } },
      { metrics: 3 },
    ],
    [
      'in GraphQL, in revisions that omit the fields of their metric',
      { data: { metric: { ...point, history: [{ ...bare, revisions: [bare, bare] }] } } },
      { metrics: 4 },
    ],
    ['in tRPC', { result: { data: [point] } }, { metrics: 1 }],
    [
      'in a batch of tRPC',
      [{ result: { data: point } }, { result: { data: [point] } }],
      { metrics: 2 },
    ],
    ['in a list of receipts', list(...receipts), { receipts: 3 }],
    ['in receipts of GraphQL', { data: { accessRequest: { receipts } } }, { receipts: 3 }],
    [
      'in events that don’t begin with the first receipt',
      list(eventOf(1), eventOf(2)),
      { receipts: 2 },
    ],
    ['in the body of a webhook', webhook, { receipts: 1 }],
    [
      'in a live update of GraphQL',
      { data: { accessRequestChanged: { ...liveUpdate, type: 'APPROVED' } } },
      { receipts: 1 },
    ],
    ['in a live update of tRPC', liveUpdate, { receipts: 1 }],
    [
      'in an event of the company API',
      eventSaying({ investor: sampleReceipts[1].data_recipient }),
      { receipts: 1 },
    ],
    [
      'in an event with pending scopes and a pending purpose',
      eventSaying({
        requested_scopes: sampleReceipts[1].requested_scopes.slice(0, 1),
        pending_scopes: sampleReceipts[1].requested_scopes.slice(1),
        purpose: 'The audit of last year',
        pending_purpose: sampleReceipts[1].purpose,
      }),
      { receipts: 1 },
    ],
    [
      'in a live update without the pending fields',
      liveUpdateSaying({
        requestedScopes: ['METRICS_READ'],
        pendingScopes: undefined,
        purpose: 'The audit of last year',
        pendingPurpose: undefined,
      }),
      { receipts: 1 },
    ],
    ['in an event with terms', eventWithTerms({}), { receipts: 1 }],
    [
      'in an event with pending terms',
      eventWithTerms({
        requested_terms: { metric_keys: ['arr'], history_from: '2026-01-01', use: 'once' },
        pending_terms: { metric_keys: ['cash_balance'], history_from: null, use: 'ongoing' },
      }),
      { receipts: 1 },
    ],
    ['in a live update with terms', liveUpdateWithTerms({}), { receipts: 1 }],
    [
      'in a live update with a part of the terms',
      liveUpdateWithTerms({ pendingTerms: undefined, approvedTerms: { use: 'ONCE' } }),
      { receipts: 1 },
    ],
    ['in a live update that has only a receipt', { receipt: receipts[2] }, { receipts: 1 }],
    [
      'in an export',
      [
        { type: 'company', id: 'co_harbor' },
        { type: 'metric', ...metric },
        ...receipts.map((receipt) => ({ type: 'receipt', ...receipt })),
      ]
        .map((line) => JSON.stringify(line))
        .join('\n\n'),
      { metrics: 1, receipts: 3 },
    ],
  ])('finds signed data %s', async (_name, input, counts) => {
    const { exitCode, stderr, json } = await verify(input, '--json');
    expect(stderr).toBe('');
    expect(exitCode).toBe(0);
    expect(json).toEqual({
      metrics: 0,
      receipts: 0,
      inexact: 0,
      complete: counts.receipts === undefined ? {} : expect.any(Object),
      failed: 0,
      failures: [],
      ...counts,
    });
  });

  const header =
    'company_id,key,currency,period,raw_value,as_of,source.system,source.method,source.last_synced,verification.signed,verification.signature,revision,signed_at';
  const payload = { ...samplePayload, source: { ...samplePayload.source, system: '=A "b", c' } };
  const { source } = payload;
  const cells = [
    payload.company_id,
    payload.key,
    payload.currency,
    payload.period,
    payload.raw_value,
    payload.as_of,
    `"'=A ""b"", c"`,
    source.method,
    source.last_synced,
    true,
    signMetric(payload, exampleKey),
    payload.revision,
    payload.signed_at,
  ];
  const table = (...rows: unknown[][]) =>
    [header, ...rows.map((row) => row.join(','))].map((row) => `${row}\r\n`).join('');
  const changed = (place: number, value: unknown) => cells.with(place, value as string);

  it('finds signed data in a CSV history with escaped formulas, in chunks of any size', async () => {
    const text = Buffer.from(`\ufeff${table(cells, cells)}`);
    const pieces = Array.from(text, (byte) => Uint8Array.of(byte));
    const given = ['verify', '-', '--jwks', jwks, '--json'];
    for (const stdin of [[text], pieces]) {
      const { exitCode, json } = await runCommand(given, { stdin });
      expect(json).toMatchObject({ metrics: 2, failed: 0, inexact: 0 });
      expect(exitCode).toBe(0);
    }
  });

  it.each([
    ['another currency', table(cells, changed(2, '')), 'field_differs'],
    [
      'an amount in another format',
      table(cells, changed(4, `${payload.raw_value}0`)),
      'field_differs',
    ],
    ['another revision', table(cells, changed(11, 2)), 'field_differs'],
    ['a missing signature', table(cells, changed(10, '')), 'not_signed'],
    ['a row that is cut off', table(cells, cells.slice(0, 4)), 'malformed'],
    ['a quote that is not closed', table(cells, changed(6, '"A')), 'malformed'],
  ])('rejects %s in CSV, and prints its line number', async (_name, text, reason) => {
    const { exitCode, json } = await verify(text, '--json');
    expect(json).toMatchObject({ metrics: 1, failures: [{ position: 'line 3', reason }] });
    expect(exitCode).toBe(1);
  });

  const bothKinds = `${header},receipt.id,receipt.jws`;
  const metricRow = [...cells, '', ''];
  const receiptRows = receipts.map(({ id, jws }) => [...cells.map(() => ''), id, jws]);
  const exported = (...rows: unknown[][]) =>
    [bothKinds, ...rows.map((row) => row.join(','))].map((row) => `${row}\r\n`).join('');

  it('finds signed data in a CSV export, and checks each access request’s receipts as a chain', async () => {
    const { exitCode, json } = await verify(exported(metricRow, ...receiptRows), '--json');
    expect(json).toMatchObject({ metrics: 1, receipts: 3, failed: 0, failures: [] });
    expect(exitCode).toBe(0);
  });

  const [asked = [], approved = [], revoked = []] = receiptRows;
  const jwsOf = (row: readonly unknown[]) => String(row.at(-1));
  const changedByte = jwsOf(approved).replace(/.(?=.{20}$)/, (one) => (one === 'A' ? 'B' : 'A'));
  it.each([
    ['a receipt is missing in the middle', [metricRow, asked, revoked], 'line 4', 'chain_broken'],
    ['the first receipt is missing', [metricRow, approved, revoked], 'line 3', 'chain_broken'],
    [
      'receipts are in another order',
      [metricRow, approved, asked, revoked],
      'line 3',
      'chain_broken',
    ],
    [
      'one byte of a receipt was changed',
      [metricRow, asked, approved.with(-1, changedByte), revoked],
      'line 4',
      'bad_signature',
    ],
    [
      'the id of a receipt was changed',
      [metricRow, asked, approved.with(-2, 'rcpt_9'), revoked],
      'line 4',
      'field_differs',
    ],
    [
      'a receipt lost its JWS',
      [metricRow, asked, approved.with(-1, '')],
      'line 4',
      'malformed_jws',
    ],
    [
      'a receipt lost all its cells',
      [metricRow, asked, approved.map(() => '')],
      'line 4',
      'not_signed',
    ],
    [
      'a receipt is in the row of a forged metric',
      [asked, [...changed(2, ''), ...approved.slice(-2)]],
      'line 3 [0]',
      'field_differs',
    ],
  ])('reports for a CSV export that %s', async (_name, rows, place, reason) => {
    const { exitCode, json } = await verify(exported(...rows), '--json');
    expect(json.failures[0]).toMatchObject({ position: place, reason });
    expect(exitCode).toBe(1);
  });

  it('rejects CSV with a duplicate column', async () => {
    const text = table(cells)
      .replace('company_id', 'company_id,company_id')
      .replace('co_', 'co_x,co_');
    const { exitCode, stderr } = await verify(text);
    expect(stderr).toContain('the column company_id appears twice');
    expect(exitCode).toBe(2);
  });

  it('prints the counts as text without --json', async () => {
    const { raw_value_text, ...inexact } = metric;
    expect(await verify(list(metric, inexact))).toMatchObject({
      exitCode: 0,
      stdout:
        'verified: 2 metrics, 0 receipts; failed: 0\nonly about 16 digits could be compared in 1 amount\n',
    });
  });

  it.each<[string, unknown, string, string]>([
    [
      'a field that was changed',
      list(metric, { ...metric, currency: 'EUR' }),
      'data[1]',
      'field_differs',
    ],
    [
      'a metric without its verification',
      list({ ...metric, verification: undefined }),
      'data[0]',
      'not_signed',
    ],
    [
      'a metric that is not signed',
      { ...metric, verification: { verified: true, signed: false } },
      '',
      'not_signed',
    ],
    ['a metric that was signed with another key', metricOf(stranger), '', 'unknown_key'],
    [
      'a value of a history with another company than its metric',
      { data: { metric: { ...point, history: [{ ...bare, companyId: 'co_lumen' }] } } },
      'data.metric.history[0]',
      'field_differs',
    ],
    ['a receipt that is missing', list(receipts[0], receipts[2]), 'data[1]', 'chain_broken'],
    [
      'a receipt without its JWS',
      list({ id: 'rcpt_1', object: 'consent_receipt' }),
      'data[0]',
      'malformed_jws',
    ],
    [
      'an event that contradicts its receipt',
      eventWith({ access_request: { id: 'ar_1', status: 'revoked' } }),
      '',
      'field_differs',
    ],
    [
      'a live update that contradicts its receipt',
      { data: { accessRequestChanged: { ...liveUpdate, type: 'REVOKED' } } },
      'data.accessRequestChanged',
      'field_differs',
    ],
    [
      'a live update of another company',
      { ...liveUpdate, accessRequest: { companyId: 'co_lumen' } },
      '',
      'field_differs',
    ],
    ['a live update without a receipt', { ...liveUpdate, receipt: null }, '', 'not_signed'],
    [
      'an event with the receipt of another event',
      eventWith({ receipt: receipts[2] }),
      '',
      'field_differs',
    ],
    [
      'a forged metric next to a receipt',
      { ...receipts[0], data: [{ ...metric, currency: 'EUR' }] },
      'data[0]',
      'field_differs',
    ],
    [
      'a forged metric next to the receipt of a live update',
      { ...liveUpdate, metrics: [{ ...metric, currency: 'EUR' }] },
      'metrics[0]',
      'field_differs',
    ],
    [
      'a forged metric in an event',
      eventWith({ metric: { ...metric, currency: 'EUR' } }),
      'data.metric',
      'field_differs',
    ],
    [
      'a second receipt in an event, which isn’t the first receipt of its chain',
      eventWith({ receipts: [receipts[2]] }),
      'data.receipts[0]',
      'chain_broken',
    ],
    ['an event whose receipt is null', eventWith({ receipt: null }), '', 'not_signed'],
    ['an event without a receipt', eventWith({ receipt: undefined }), '', 'not_signed'],
    [
      'a line that is cut off',
      `${JSON.stringify(metric)}\n${JSON.stringify(metric).slice(0, -9)}`,
      'line 2',
      'malformed',
    ],
  ])('rejects %s, and prints where it is', async (_name, input, place, reason) => {
    const { exitCode, stderr, json } = await verify(input, '--json');
    expect(json.failures).toEqual([{ position: place, reason, message: expect.any(String) }]);
    expect(json.failed).toBe(1);
    expect(stderr).toBe('error: 1 could not be verified\n');
    expect(exitCode).toBe(1);
  });

  it.each<[string, object]>([
    ['another company', eventSaying({ company_id: 'co_lumen' })],
    ['another investor', eventSaying({ investor: { id: 'inv_2', name: 'Another' } })],
    ['other requested scopes', eventSaying({ requested_scopes: ['accounts:read'] })],
    ['pending scopes', eventSaying({ pending_scopes: ['accounts:read'] })],
    ['other approved scopes', eventSaying({ approved_scopes: ['accounts:read'] })],
    ['no approved scopes', eventSaying({ approved_scopes: null })],
    ['an object instead of a scope', eventSaying({ approved_scopes: [{ toString: 1 }] })],
    ['another end of access', eventSaying({ expires_at: '2099-01-01T00:00:00.000Z' })],
    ['no end of access', eventSaying({ expires_at: null })],
    ['another purpose', eventSaying({ purpose: 'Another' })],
    ['a pending purpose', eventSaying({ pending_purpose: 'Another' })],
    ['live, other requested scopes', liveUpdateSaying({ requestedScopes: ['ACCOUNTS_READ'] })],
    ['live, pending scopes', liveUpdateSaying({ pendingScopes: ['ACCOUNTS_READ'] })],
    ['live, other approved scopes', liveUpdateSaying({ approvedScopes: ['ACCOUNTS_READ'] })],
    ['live, another end of access', liveUpdateSaying({ expiresAt: '2099-01-01T00:00:00.000Z' })],
    ['live, another purpose', liveUpdateSaying({ purpose: 'Another' })],
    ['other requested terms', eventWithTerms({ requested_terms: approved_terms })],
    ['pending terms', eventWithTerms({ pending_terms: { ...requested_terms, metric_keys: null } })],
    ['no approved terms', eventWithTerms({ approved_terms: null })],
    ['an object as a metric key', eventWithTerms({ approved_terms: { metric_keys: [{}] } })],
    ['a pause', eventWithTerms({ paused_at: '2026-11-02T09:00:00.000Z' })],
    ['terms that the receipt lacks', eventSaying({ approved_terms })],
    ['live, other terms', liveUpdateWithTerms({ approvedTerms: { use: 'ONGOING' } })],
    ['live, a pause', liveUpdateWithTerms({ pausedAt: '2026-11-02T09:00:00.000Z' })],
  ])('rejects an event whose details differ from its receipt: %s', async (_name, change) => {
    const { exitCode, json } = await verify(change, '--json');
    expect(json).toMatchObject({ receipts: 0, failed: 1, failures: [{ reason: 'field_differs' }] });
    expect(exitCode).toBe(1);
  });

  it('still verifies the intact receipts of a broken chain', async () => {
    const { json } = await verify(list(...receipts.slice(1)), '--json');
    expect(json).toMatchObject({ receipts: 1, failed: 1 });
  });

  it('checks the receipts of several access requests, each with its own chain', async () => {
    const others = sampleReceipts.map((payload) => {
      const { previous_receipt_id: previous } = payload;
      return signReceipt(
        {
          ...payload,
          receipt_id: `${payload.receipt_id}0`,
          previous_receipt_id: previous && `${previous}0`,
          event_id: `${payload.event_id}0`,
          access_request_id: 'ar_2',
        },
        exampleKey,
      );
    });
    const mixed = receipts.flatMap((receipt, place) => [receipt, { jws: others[place] }]);
    expect((await verify(list(...mixed), '--json')).json).toMatchObject({ receipts: 6, failed: 0 });
  });

  it('lists up to a hundred failures, counts all failures, and escapes control characters', async () => {
    const forged = { ...metric, key: '\u001b[2J', company_id: 'co_x' };
    const { exitCode, stdout } = await verify(list(...Array(120).fill(forged)));
    expect(stdout.split('\n')).toHaveLength(103);
    expect(stdout).toContain('\\u{1b}[2J');
    expect(stdout).not.toContain('\u001b[2J');
    expect(stdout).toContain('and 20 more failures\n');
    expect(stdout).toContain('failed: 120\n');
    expect(exitCode).toBe(1);
  });
});

describe('verify without anything to check', () => {
  it.each<[string, string | Uint8Array, string]>([
    ['nothing to verify', '{"error":{"code":"access_required"}}', 'nothing to verify'],
    ['an empty input', '', 'the input is empty'],
    ['an input that isn’t JSON', 'id;value\n1;2\n', 'neither JSON nor newline-delimited JSON'],
    [
      'a document that is nested too deeply',
      `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`,
      'nested more than 100 levels deep',
    ],
    ['bytes that aren’t text', Buffer.from([0x7b, 0xff]), 'is not valid UTF-8'],
  ])('exits with 2 for %s', async (_name, input, reason) => {
    const { exitCode, stdout, stderr } = await verify(input);
    expect(stderr).toContain(`error: `);
    expect(stderr).toContain(reason);
    expect(stdout).toBe('');
    expect(exitCode).toBe(2);
  });

  it.each<[string, string[], string]>([
    ['a file that doesn’t exist', ['nowhere.json'], 'cannot read nowhere.json'],
    ['a key set that doesn’t exist', ['-', '--jwks', 'nowhere.json'], 'nowhere.json'],
    [
      'a service that can’t be reached',
      ['http://127.0.0.1:1/'],
      'cannot fetch http://127.0.0.1:1/',
    ],
    ['an origin that has a path', ['-', '--trust', 'https://a.example/b'], 'must be an origin'],
    ['an origin with the scheme file:', ['-', '--trust', 'file:///etc'], 'must be an origin'],
  ])('exits with 2 for %s', async (_name, words, reason) => {
    const { exitCode, stdout, stderr } = await runCommand(['verify', ...words]);
    expect(stderr).toContain(reason);
    expect(stderr).not.toContain('    at ');
    expect(stdout).toBe('');
    expect(exitCode).toBe(2);
  });

  it('exits with 2 for an invalid key set', async () => {
    const path = await write('no-jwks.json', metric);
    const { exitCode, stderr } = await runCommand(['verify', '-', '--jwks', path]);
    expect(stderr).toContain('isn’t a JWK Set');
    expect(exitCode).toBe(2);
  });
});

describe('verify', () => {
  let service: Server;
  let other: Server;
  let origin: string;
  let otherOrigin: string;
  let asked: string[];
  let answer: unknown;

  async function listen(key: SigningKey): Promise<[Server, string]> {
    const server = createServer((request, response) => {
      asked.push(`${request.headers.authorization ?? ''} ${request.url}`.trim());
      if (request.url === '/elsewhere') {
        response.writeHead(302, { location: `${otherOrigin}/answer` }).end();
      } else if (request.url === '/private' && request.headers.authorization !== 'Bearer key') {
        response.writeHead(401).end();
      } else {
        const isKeys = request.url?.endsWith('/.well-known/jwks.json');
        response.end(JSON.stringify(isKeys ? jwksOf(key) : answer));
      }
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    return [server, `http://127.0.0.1:${(server.address() as AddressInfo).port}`];
  }

  beforeAll(async () => {
    [service, origin] = await listen(exampleKey);
    [other, otherOrigin] = await listen(stranger);
  });
  afterAll(() => Promise.all([service, other].map((server) => server.close())));

  const fetched = (path: string, named: string, key = exampleKey, ...more: string[]) => {
    asked = [];
    const signed = metricOf(key);
    answer = list({
      ...signed,
      verification: { ...signed.verification, public_key_url: `${named}/.well-known/jwks.json` },
    });
    return runCommand(['verify', origin + path, '--json', ...more]);
  };

  it('requests the keys once, from the address in a metric with the origin of the given URL', async () => {
    expect(await fetched('/answer', origin)).toMatchObject({ exitCode: 0, stderr: '' });
    expect(asked).toEqual(['/answer', '/.well-known/jwks.json']);
    expect(await fetched('/answer', `${origin}/base`)).toMatchObject({ exitCode: 0 });
    expect(asked).toEqual(['/answer', '/base/.well-known/jwks.json']);
  });

  it('requests no keys from another origin in a forged metric, unless the origin is trusted', async () => {
    const forged = await fetched('/answer', otherOrigin, stranger);
    expect(forged.exitCode).toBe(1);
    expect(forged.json.failures).toMatchObject([{ position: 'data[0]', reason: 'untrusted_keys' }]);
    expect(asked).toEqual(['/answer']);
    const trusted = await fetched('/answer', otherOrigin, stranger, '--trust', otherOrigin);
    expect(trusted.exitCode).toBe(0);
  });

  it.each([
    ['another path', '/keys#'],
    ['a query', '/?at=/'],
    ['a user', '@127.0.0.1:1'],
  ])('requests no keys from an address with %s', async (_name, end) => {
    const { json } = await fetched('/answer', origin + end);
    expect(json.failures).toMatchObject([{ reason: 'untrusted_keys' }]);
    expect(asked).toEqual(['/answer']);
  });

  it('requests the keys for receipts in a file from a trusted origin, because receipts contain no address', async () => {
    const path = await write('receipts.json', list(...receipts));
    asked = [];
    expect(await runCommand(['verify', path, '--trust', origin])).toMatchObject({ exitCode: 0 });
    expect(asked).toEqual(['/.well-known/jwks.json']);
  });

  it('requests keys from the URL in --jwks', async () => {
    const address = `${origin}/.well-known/jwks.json`;
    const input = { stdin: [JSON.stringify(metric)] };
    const good = await runCommand(['verify', '-', '--jwks', address], input);
    expect(good).toMatchObject({ exitCode: 0 });
    const bad = await runCommand(
      ['verify', '-', '--jwks', `${otherOrigin}/.well-known/jwks.json`],
      input,
    );
    expect(bad).toMatchObject({ exitCode: 1 });
  });

  it('sends the API key only to the given URL, and follows no redirects', async () => {
    const keyFile = await write('key.txt', 'key\n');
    expect(await fetched('/private', origin, exampleKey, '--key-file', keyFile)).toMatchObject({
      exitCode: 0,
    });
    expect(asked).toEqual(['Bearer key /private', '/.well-known/jwks.json']);
    const refused = await fetched('/private', origin);
    expect(refused.exitCode).toBe(2);
    expect(refused.stderr).toContain('the server answered 401: add --key-file');
    const moved = await fetched('/elsewhere', origin, exampleKey, '--key-file', keyFile);
    expect(moved.exitCode).toBe(2);
    expect(asked).toEqual(['Bearer key /elsewhere']);
  });

  describe('with the keys in the database of the service', () => {
    let own: OwnDatabase;
    let key: SigningKey;

    beforeAll(async () => {
      own = await openOwnDatabase((folder) => ({
        SIGNING_KEY_FILE: join(folder, 'signing-key.json'),
      }));
      await own.composition.operatorUseCases.rotateSigningKey({ atOnce: true });
      const { kty, crv, x, d } = JSON.parse(
        await readFile(join(own.folder, 'signing-key.json'), 'utf8'),
      );
      const jwk = { kty, crv, x };
      const privateKey = createPrivateKey({ format: 'jwk', key: { ...jwk, d } });
      key = { kid: await calculateJwkThumbprint(jwk), jwk, privateKey };
    });
    afterAll(() => own.close());

    const withDatabase = (input: unknown) =>
      runCommand(['verify', '-'], {
        composition: own.composition,
        stdin: [JSON.stringify(input)],
      });

    it('verifies a file and stdin, and ignores the key address in a metric', async () => {
      expect(await withDatabase(metricOf(key))).toMatchObject({
        exitCode: 0,
        stdout: 'verified: 1 metric, 0 receipts; failed: 0\n',
      });
    });

    it('rejects data that another key signed', async () => {
      expect(await withDatabase(metric)).toMatchObject({ exitCode: 1 });
    });
  });
});
