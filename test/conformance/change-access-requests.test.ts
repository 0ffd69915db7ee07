import { expect, it } from 'vitest';
import { expectOk, expectRefusal } from '../support/expectations.ts';
import { conformance } from './conformance.ts';

const base = '/v1/access-requests';
const json = { 'content-type': 'application/json' };

conformance('/v1/access-requests/{id}', (service) => {
  const { get, fixtures, operator, call } = service;

  const amend = (key: string, id: string, body: unknown) =>
    service.call('PATCH', `${base}/${id}`, { key, body });

  it('GET returns one request, with the same fields as in the list', async () => {
    const { key, requestId } = await fixtures.asking();
    const answer = await get(`${base}/${requestId}`, key);
    expectOk(answer);
    expect([answer.body]).toEqual((await get(base, key)).body.data);
  });

  it('GET returns an optional field only if it has a value', async () => {
    const { key, requestId } = await fixtures.asking(['metrics:read']);
    const contract = [
      'id',
      'object',
      'company_id',
      'requested_scopes',
      'approved_scopes',
      'status',
      'purpose',
      'expires_at',
      'created_at',
    ];
    const ends = ['requested_terms', 'approved_terms', 'paused_at', 'ended_at', 'answer_by'];
    const fields = async () => Object.keys((await get(`${base}/${requestId}`, key)).body);
    expect(await fields()).toEqual([...contract, ...ends]);
    await operator.approveAccessRequest({ id: requestId });
    expect(await fields()).toEqual([...contract, 'decided_at', ...ends]);
    await amend(key, requestId, { scopes: ['sources:read'], purpose: 'A loan.' });
    expect(await fields()).toEqual([
      ...contract,
      'decided_at',
      'pending_scopes',
      'pending_purpose',
      ...ends,
    ]);
    await operator.revokeAccessRequest({ id: requestId, reason: 'Sold.' });
    expect(await fields()).toEqual([...contract, 'reason', 'decided_at', ...ends]);
    const { body } = await get(`${base}/${requestId}`, key);
    expect([body.ended_at, body.answer_by]).toEqual([body.decided_at, null]);
  });

  it.each([
    [{ scopes: [] }, 'missing_scopes', 'scopes'],
    [{ scopes: ['companies:read'] }, 'invalid_scope', 'scopes'],
    [{ scopes: 'metrics:read' }, 'invalid_parameter', 'scopes'],
    [{ scopes: ['sources:read'], purpose: 5 }, 'invalid_parameter', 'purpose'],
    [{ scopes: ['sources:read'], company_id: 'co_1' }, 'invalid_parameter', 'company_id'],
  ] as const)(
    'PATCH with the body %j returns %s, and the message contains the field name %s',
    async (body, code, name) => {
      const { key, requestId } = await fixtures.asking(['metrics:read']);
      const answer = await amend(key, requestId, body);
      expectRefusal(answer, code);
      expect(answer.body.error.message).toContain(name);
    },
  );

  it('PATCH checks its body like POST', async () => {
    const { key, requestId } = await fixtures.asking();
    const path = `${base}/${requestId}`;
    const send = (raw: string, headers = json) => call('PATCH', path, { key, raw, headers });
    expectRefusal(await send('{'), 'malformed_json');
    expectRefusal(await send(''), 'malformed_json');
    expectRefusal(await send('x'.repeat(70_000)), 'payload_too_large');
    expectRefusal(await send('x', { 'content-type': 'text/plain' }), 'unsupported_media_type');
    expectRefusal(await call('PATCH', path, { key }), 'missing_scopes');
  });

  it('DELETE accepts an empty body with the content type of JSON', async () => {
    const { key, requestId } = await fixtures.asking();
    expectOk(await call('DELETE', `${base}/${requestId}`, { key, raw: '', headers: json }));
  });
});
