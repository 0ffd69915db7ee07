import { describe, expect, it } from 'vitest';
import { expectOk, expectRefusal, withoutRequestId } from '../support/expectations.ts';
import { conformance } from './conformance.ts';

const base = '/v1/access-requests';
const json = { 'content-type': 'application/json' };

/** What this service adds to the contract: one request is read, amended and withdrawn. */
conformance('/v1/access-requests/{id}', (given) => {
  const amend = (key: string, id: string, body: unknown) =>
    given().call('PATCH', `${base}/${id}`, { key, body });
  const withdraw = (key: string, id: string) => given().call('DELETE', `${base}/${id}`, { key });

  it('reads one request, the same as in the list', async () => {
    const { get, fixtures } = given();
    const { key, requestId } = await fixtures.asking();
    const answer = await get(`${base}/${requestId}`, key);
    expectOk(answer);
    expect([answer.body]).toEqual((await get(base, key)).body.data);
  });

  it('has no field more than the contract’s until there is something to tell', async () => {
    const { get, fixtures, operator } = given();
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
    const fields = async () => Object.keys((await get(`${base}/${requestId}`, key)).body);
    expect(await fields()).toEqual(contract);
    await operator.approveAccessRequest({ id: requestId });
    expect(await fields()).toEqual([...contract, 'decided_at']);
    await amend(key, requestId, { scopes: ['sources:read'], purpose: 'A loan.' });
    expect(await fields()).toEqual([
      ...contract,
      'decided_at',
      'pending_scopes',
      'pending_purpose',
    ]);
    await operator.revokeAccessRequest({ id: requestId, reason: 'Sold.' });
    expect(await fields()).toEqual([...contract, 'reason', 'decided_at']);
  });

  it('what is asked for in addition joins a pending request', async () => {
    const { fixtures } = given();
    const { key, requestId } = await fixtures.asking(['metrics:read']);
    const answer = await amend(key, requestId, { scopes: ['sources:read'], purpose: 'A loan.' });
    expectOk(answer);
    expect(answer.body).toMatchObject({
      status: 'pending',
      requested_scopes: ['metrics:read', 'sources:read'],
      purpose: 'A loan.',
    });
    expect(answer.body).not.toHaveProperty('pending_scopes');
  });

  it('beside a grant it waits, what is granted goes on, and its reads are pending', async () => {
    const { get, fixtures, operator } = given();
    const { key, company, requestId } = await fixtures.asking(['metrics:read']);
    await operator.approveAccessRequest({ id: requestId });
    const answer = await amend(key, requestId, { scopes: ['sources:read', 'metrics:read'] });
    expect(answer.body).toMatchObject({
      status: 'approved',
      requested_scopes: ['metrics:read'],
      pending_scopes: ['sources:read'],
    });
    expectOk(await get(`/v1/companies/${company.id}/metrics`, key));
    const sources = `/v1/companies/${company.id}/sources`;
    expectRefusal(await get(sources, key), 'access_pending');
    expectRefusal(await get(`/v1/companies/${company.id}/accounts`, key), 'access_required');
    const { version } = (await operator.showAccessRequest({ id: requestId })).accessRequest;
    await operator.approveAccessRequest({ id: requestId, version });
    expectOk(await get(sources, key));
  });

  it('asking for nothing new changes nothing', async () => {
    const { fixtures, get } = given();
    const { key, requestId } = await fixtures.asking(['metrics:read', 'sources:read']);
    const before = await get(`${base}/${requestId}`, key);
    const answer = await amend(key, requestId, { scopes: ['sources:read'], purpose: 'Other.' });
    expectOk(answer);
    expect(answer.text).toBe(before.text);
    expect((await get('/v1/events', key)).body.data).toHaveLength(1);
  });

  it('a POST is covered by what is granted and what waits together', async () => {
    const { fixtures, operator, post } = given();
    const { key, company, requestId } = await fixtures.asking(['metrics:read']);
    await operator.approveAccessRequest({ id: requestId });
    await amend(key, requestId, { scopes: ['sources:read'] });
    const scopes = ['metrics:read', 'sources:read'];
    const covered = await post(base, key, { company_id: company.id, scopes });
    expectOk(covered);
    expect(covered.body.id).toBe(requestId);
    const more = await post(base, key, { company_id: company.id, scopes: ['accounts:read'] });
    expectRefusal(more, 'scope_conflict');
  });

  it.each(['pending', 'approved'])('a withdrawn request that was %s is expired', async (status) => {
    const { get, post, fixtures, operator } = given();
    const { key, company, requestId } = await fixtures.asking(['metrics:read']);
    if (status === 'approved') await operator.approveAccessRequest({ id: requestId });
    const answer = await withdraw(key, requestId);
    expectOk(answer);
    expect(answer.body).toMatchObject({ id: requestId, status: 'expired' });
    expectRefusal(await get(`/v1/companies/${company.id}/metrics`, key), 'access_required');
    const again = await withdraw(key, requestId);
    expectOk(again);
    expect(again.text).toBe(answer.text);
    const types = (await get('/v1/events', key)).body.data.map(
      ({ type }: { type: string }) => type,
    );
    expect(types.filter((type: string) => type.endsWith('withdrawn'))).toHaveLength(1);
    const next = await post(base, key, { company_id: company.id, scopes: ['metrics:read'] });
    expectOk(next, 201);
  });

  it('what is over cannot be amended, and what was declined or revoked not be withdrawn', async () => {
    const { fixtures, operator } = given();
    for (const status of ['declined', 'revoked', 'expired'] as const) {
      const { key, requestId } = await fixtures.asking(['metrics:read']);
      if (status === 'declined') await operator.declineAccessRequest({ id: requestId });
      if (status === 'revoked') {
        await operator.approveAccessRequest({ id: requestId });
        await operator.revokeAccessRequest({ id: requestId });
      }
      if (status === 'expired') await withdraw(key, requestId);
      const amended = await amend(key, requestId, { scopes: ['sources:read'] });
      expectRefusal(amended, 'illegal_transition');
      expect(amended.body.error.message).toContain(status);
      if (status === 'expired') continue;
      expectRefusal(await withdraw(key, requestId), 'illegal_transition');
    }
  });

  describe('of another investor', () => {
    it.each(['GET', 'PATCH', 'DELETE'])('%s: the same bytes as for no request', async (method) => {
      const { call, get, fixtures } = given();
      const other = await fixtures.asking(['metrics:read']);
      const { key } = await fixtures.asking();
      const ask = { key, ...(method === 'PATCH' && { body: { scopes: ['sources:read'] } }) };
      const answers = [];
      for (const id of [other.requestId, `ar_${'0'.repeat(32)}`, 'x', 'ar_%00', '__proto__', '']) {
        const answer = await call(method, `${base}/${id}`, ask);
        expectRefusal(answer, 'access_request_not_found');
        answers.push(withoutRequestId(answer));
      }
      for (const answer of answers) expect(answer).toEqual(answers[0]);
      expect((await get('/v1/events', other.key)).body.data).toHaveLength(1);
    });
  });

  it('a company that has left the portfolio is not asked for more, but a request to it is withdrawn', async () => {
    const { fixtures, operator } = given();
    const { key, investor, company, requestId } = await fixtures.asking(['metrics:read']);
    await operator.removeFromPortfolio({ investorId: investor.id, companyId: company.id });
    expectRefusal(await amend(key, requestId, { scopes: ['sources:read'] }), 'company_not_found');
    expectOk(await withdraw(key, requestId));
  });

  it.each([
    [{ scopes: [] }, 'missing_scopes', 'scopes'],
    [{}, 'missing_scopes', 'scopes'],
    [{ scopes: ['companies:read'] }, 'invalid_scope', 'scopes'],
    [{ scopes: ['x'] }, 'invalid_scope', 'scopes'],
    [{ scopes: 'metrics:read' }, 'invalid_parameter', 'scopes'],
    [{ scopes: ['sources:read'], purpose: 5 }, 'invalid_parameter', 'purpose'],
    [{ scopes: ['sources:read'], purpose: 'x'.repeat(1001) }, 'invalid_parameter', 'purpose'],
    [{ scopes: ['sources:read'], id: 'ar_1' }, 'invalid_parameter', 'id'],
    [{ scopes: ['sources:read'], company_id: 'co_1' }, 'invalid_parameter', 'company_id'],
    [[], 'invalid_parameter', 'object'],
    [null, 'invalid_parameter', 'object'],
  ] as const)('PATCH %j is refused: %s names %s', async (body, code, name) => {
    const { fixtures } = given();
    const { key, requestId } = await fixtures.asking(['metrics:read']);
    const answer = await amend(key, requestId, body);
    expectRefusal(answer, code);
    expect(answer.body.error.message).toContain(name);
  });

  it('bodies of PATCH are checked as those of POST are', async () => {
    const { call, fixtures } = given();
    const { key, requestId } = await fixtures.asking();
    const path = `${base}/${requestId}`;
    const send = (raw: string, headers = json) => call('PATCH', path, { key, raw, headers });
    expectRefusal(await send('{'), 'malformed_json');
    expectRefusal(await send(''), 'malformed_json');
    expectRefusal(await send('x'.repeat(70_000)), 'payload_too_large');
    expectRefusal(await send('x', { 'content-type': 'text/plain' }), 'unsupported_media_type');
    expectRefusal(await call('PATCH', path, { key }), 'missing_scopes');
  });

  it('DELETE needs no body, whatever type it announces', async () => {
    const { call, fixtures } = given();
    const { key, requestId } = await fixtures.asking();
    expectOk(await call('DELETE', `${base}/${requestId}`, { key, raw: '', headers: json }));
  });

  it('OPTIONS and Allow name the methods', async () => {
    const { call, fixtures } = given();
    const { key } = await fixtures.portfolio();
    const allow = 'GET, HEAD, PATCH, DELETE, OPTIONS';
    expect((await call('OPTIONS', `${base}/ar_1`)).headers.allow).toBe(allow);
    const refused = await call('PUT', `${base}/ar_1`, { key });
    expectRefusal(refused, 'method_not_allowed');
    expect(refused.headers.allow).toBe(allow);
  });
});
