import { expect, it } from 'vitest';
import { expectOk, expectRefusal } from '../support/expectations.ts';
import { conformance } from './conformance.ts';

const path = '/v1/access-requests';
const json = { 'content-type': 'application/json' };
const instant = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

conformance('POST /v1/access-requests', ({ post, fixtures, call }) => {
  it('returns 201 and each field of the new request', async () => {
    const { company, key } = await fixtures.portfolio();
    const before = Date.now();
    const answer = await post(path, key, {
      company_id: company.id,
      scopes: ['sources:read', 'metrics:read'],
      purpose: 'Quarterly reporting – für 東京 🗼',
    });
    expectOk(answer, 201);
    expect(answer.body).toEqual({
      id: expect.stringMatching(/^ar_[0-9A-Za-z]+$/),
      object: 'access_request',
      company_id: company.id,
      requested_scopes: ['sources:read', 'metrics:read'],
      approved_scopes: [],
      status: 'pending',
      purpose: 'Quarterly reporting – für 東京 🗼',
      expires_at: null,
      created_at: instant,
      requested_terms: null,
      approved_terms: null,
      paused_at: null,
      ended_at: null,
      answer_by: instant,
    });
    expect(Date.parse(answer.body.created_at)).toBeGreaterThanOrEqual(before);
    expect(Date.parse(answer.body.created_at)).toBeLessThanOrEqual(Date.now());
  });

  it('returns the same status and body to a repeated request, and marks only the repetition as replayed', async () => {
    const { company, key } = await fixtures.portfolio();
    const body = { company_id: company.id, scopes: ['metrics:read'] };
    for (const [name, status] of [
      ['first', 201],
      ['second', 200],
    ] as const) {
      const headers = { 'idempotency-key': name };
      const answer = await post(path, key, body, headers);
      expectOk(answer, status);
      expect(answer.headers).not.toHaveProperty('idempotent-replayed');
      const replayed = await post(path, key, body, headers);
      expectOk(replayed, status);
      expect(replayed.headers['idempotent-replayed']).toBe('true');
      expect(replayed.body).toEqual(answer.body);
    }
  });

  it('reads the header Idempotency-Key, but GET ignores the header', async () => {
    const { key } = await fixtures.portfolio();
    const headers = { 'idempotency-key': 'k'.repeat(300) };
    const answer = await call('GET', path, { key, headers });
    expectOk(answer);
    expect(answer.headers).not.toHaveProperty('idempotent-replayed');
  });

  it.each([
    ['an unfinished object', '{"company_id":'],
    ['a trailing comma', '{"scopes":["metrics:read",]}'],
    ['single quotes', "{'company_id':'co_1'}"],
    ['two documents', '{}{}'],
    ['NaN', '{"purpose":NaN}'],
    ['an empty body', ''],
    ['bytes that are not UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d])],
    ['a raw control character in a string', '{"purpose":"\u0001"}'],
  ])('returns malformed_json for %s', async (_name, raw) => {
    const { key } = await fixtures.portfolio();
    expectRefusal(await call('POST', path, { key, raw, headers: json }), 'malformed_json');
  });

  it.each([
    ['company_id', { company_id: 12 }],
    ['scopes', { scopes: 'metrics:read' }],
    ['scopes[1]', { scopes: ['metrics:read', {}] }],
    ['purpose', { purpose: '🗼'.repeat(1001) }],
  ])('returns invalid_parameter with the field name %s for %j', async (parameter, wrong) => {
    const { company, key } = await fixtures.portfolio();
    const body = { company_id: company.id, scopes: ['metrics:read'], ...wrong };
    const answer = await post(path, key, body);
    expectRefusal(answer, 'invalid_parameter');
    expect(answer.body.error.message).toContain(parameter);
  });

  it('accepts a body of exactly 64 KiB and refuses one byte more', async () => {
    const { company, key } = await fixtures.portfolio();
    const body = JSON.stringify({ company_id: company.id, scopes: ['metrics:read'] });
    const send = (size: number) =>
      call('POST', path, { key, headers: json, raw: body.padEnd(size, ' ') });
    expectRefusal(await send(64 * 1024 + 1), 'payload_too_large');
    expectOk(await send(64 * 1024), 201);
  });

  it.each([
    ['application/json', 201],
    ['application/json; charset=utf-8', 201],
    ['Application/JSON;charset=UTF-8', 201],
    ['text/plain', 415],
    ['application/x-www-form-urlencoded', 415],
    ['application/jsonp', 415],
    ['', 415],
    ['json', 415],
    [undefined, 415],
  ])(
    'accepts or refuses a body by its content type: “%s” gets the status %i',
    async (type, status) => {
      const { company, key } = await fixtures.portfolio();
      const raw = JSON.stringify({ company_id: company.id, scopes: ['metrics:read'] });
      const headers = type === undefined ? {} : { 'content-type': type };
      const answer = await call('POST', path, { key, raw, headers });
      if (status === 201) expectOk(answer, 201);
      else expectRefusal(answer, 'unsupported_media_type');
    },
  );
});
