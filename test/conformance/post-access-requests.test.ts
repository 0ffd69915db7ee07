import { describe, expect, it } from 'vitest';
import { expectOk, expectRefusal } from '../support/expectations.ts';
import { conformance } from './conformance.ts';

const path = '/v1/access-requests';

conformance('POST /v1/access-requests', ({ post, fixtures, call }) => {
  describe('with valid input (201)', () => {
    it('creates a pending request and returns each of its fields', async () => {
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
        created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        ended_at: null,
        answer_by: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      });
      expect(Date.parse(answer.body.created_at)).toBeGreaterThanOrEqual(before);
      expect(Date.parse(answer.body.created_at)).toBeLessThanOrEqual(Date.now());
    });

    it.each([
      ['letters', 'x'],
      ['characters of three bytes', '東'],
      ['characters outside of the basic plane', '🗼'],
    ])('accepts a purpose of exactly 1,000 %s', async (_name, character) => {
      const { company, key } = await fixtures.portfolio();
      const purpose = character.repeat(1000);
      const answer = await post(path, key, {
        company_id: company.id,
        scopes: ['metrics:read'],
        purpose,
      });
      expectOk(answer, 201);
      expect(answer.body.purpose).toBe(purpose);
    });

    it.each([
      'application/json',
      'application/json; charset=utf-8',
      'Application/JSON;charset=UTF-8',
    ])('accepts the content type %s', async (type) => {
      const { company, key } = await fixtures.portfolio();
      const raw = JSON.stringify({ company_id: company.id, scopes: ['metrics:read'] });
      const answer = await call('POST', path, { key, raw, headers: { 'content-type': type } });
      expectOk(answer, 201);
    });
  });

  describe('with a malformed body (400)', () => {
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
      const headers = { 'content-type': 'application/json' };
      expectRefusal(await call('POST', path, { key, raw, headers }), 'malformed_json');
    });

    it.each(['[]', '"text"', '12', 'true', 'null', '[{"company_id":"co_1"}]'])(
      'returns invalid_parameter for the body %s, which is not an object',
      async (raw) => {
        const { key } = await fixtures.portfolio();
        const headers = { 'content-type': 'application/json' };
        expectRefusal(await call('POST', path, { key, raw, headers }), 'invalid_parameter');
      },
    );

    it.each([
      ['company_id', { company_id: 12 }],
      ['company_id', { company_id: ['co_1'] }],
      ['company_id', { company_id: { id: 'co_1' } }],
      ['company_id', { company_id: false }],
      ['scopes', { scopes: 'metrics:read' }],
      ['scopes', { scopes: { 0: 'metrics:read' } }],
      ['scopes', { scopes: 3 }],
      ['scopes', { scopes: [1] }],
      ['scopes', { scopes: [['metrics:read']] }],
      ['scopes', { scopes: [null] }],
      ['scopes', { scopes: ['metrics:read', {}] }],
      ['purpose', { purpose: 12 }],
      ['purpose', { purpose: ['why'] }],
      ['purpose', { purpose: {} }],
      ['purpose', { purpose: 'x'.repeat(1001) }],
      ['purpose', { purpose: '🗼'.repeat(1001) }],
    ])('returns invalid_parameter and names %s for %j', async (parameter, wrong) => {
      const { company, key } = await fixtures.portfolio();
      const answer = await post(path, key, {
        company_id: company.id,
        scopes: ['metrics:read'],
        ...wrong,
      });
      expectRefusal(answer, 'invalid_parameter');
      expect(answer.body.error.message).toContain(parameter);
    });
  });

  describe('with an unknown company (404)', () => {
    it.each([
      'x',
      'co_',
      'co_a b',
      '../co_1',
      'co_\u0000',
      '💩',
      ' ',
      'co_'.repeat(5000),
      '__proto__',
    ])('returns company_not_found for the malformed id %j', async (companyId) => {
      const { key } = await fixtures.portfolio();
      expectRefusal(
        await post(path, key, { company_id: companyId, scopes: ['metrics:read'] }),
        'company_not_found',
      );
    });
  });

  describe('with a long body or another content type (413 and 415)', () => {
    const limit = 64 * 1024;
    const padded = (companyId: string, size: number) => {
      const json = JSON.stringify({ company_id: companyId, scopes: ['metrics:read'] });
      return json.padEnd(size, ' ');
    };

    it('accepts a body of exactly 64 KiB and refuses one byte more', async () => {
      const { company, key } = await fixtures.portfolio();
      const headers = { 'content-type': 'application/json' };
      const over = { key, headers, raw: padded(company.id, limit + 1) };
      expectRefusal(await call('POST', path, over), 'payload_too_large');
      expectOk(await call('POST', path, { key, headers, raw: padded(company.id, limit) }), 201);
    });

    it.each([
      ['text/plain', { 'content-type': 'text/plain' }],
      ['a form', { 'content-type': 'application/x-www-form-urlencoded' }],
      ['a JSON-like type', { 'content-type': 'application/jsonp' }],
      ['no type', {}],
      ['an empty type', { 'content-type': '' }],
      ['nonsense', { 'content-type': 'json' }],
    ])('returns unsupported_media_type for %s', async (_name, headers: Record<string, string>) => {
      const { company, key } = await fixtures.portfolio();
      const raw = padded(company.id, 0);
      expectRefusal(await call('POST', path, { key, headers, raw }), 'unsupported_media_type');
    });
  });

  describe('with an invalid scope (422)', () => {
    it.each([
      'companies:read',
      'reports:read',
      'webhooks:manage',
      'metrics:write',
      'METRICS:READ',
      ' metrics:read',
      '',
      '*',
      '__proto__',
      'constructor',
    ])('returns invalid_scope for %j, alone or among valid scopes', async (scope) => {
      const { company, key } = await fixtures.portfolio();
      for (const scopes of [[scope], ['metrics:read', scope]]) {
        const answer = await post(path, key, { company_id: company.id, scopes });
        expectRefusal(answer, 'invalid_scope');
      }
    });
  });
});
