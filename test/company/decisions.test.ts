import { describe, expect, it } from 'vitest';
import { conformance } from '../conformance/conformance.ts';
import { expectOk, expectRefusal, withoutRequestId } from '../support/expectations.ts';
import { actions, decide, historyOf, requestsPath, soon, typesOf } from './company.ts';

const json = { 'content-type': 'application/json' };

/** Tests of the core check the rules of decisions. These tests check only the form of HTTP requests and answers. */
conformance('the decisions of a company', (service) => {
  const { call, fixtures, operator, post } = service;

  it('approve grants the given scopes until the given end', async () => {
    const made = await fixtures.asking();
    const body = {
      scopes: ['metrics:read', 'metrics:read'],
      expires_at: '2027-06-01T12:00:00+02:00',
    };
    const answer = await decide(service, made, 'approve', body);
    expectOk(answer);
    expect(answer.body).toMatchObject({
      id: made.requestId,
      status: 'approved',
      approved_scopes: ['metrics:read'],
      expires_at: '2027-06-01T10:00:00.000Z',
      investor: { id: made.investor.id, name: made.investor.name },
      reason: null,
    });
    expectOk(await service.get(`/v1/companies/${made.company.id}/metrics`, made.key));
  });

  it('decline and revoke show the reason to both sides', async () => {
    for (const action of ['decline', 'revoke'] as const) {
      const made = await fixtures.asking();
      if (action === 'revoke') await decide(service, made, 'approve');
      const reason = 'Please ask again after the closing. <b>Ж</b>';
      const { body } = await decide(service, made, action, { reason });
      expect(body).toMatchObject({ status: `${action}d`, reason });
      const seen = await service.get(`/v1/access-requests/${made.requestId}`, made.key);
      expect(seen.body).toMatchObject({ reason, decided_at: body.decided_at });
    }
  });

  it('approve, narrow, pause and resume take terms and show them to both sides', async () => {
    const made = await fixtures.asking();
    const terms = { metric_keys: ['mrr', 'arr', 'arr'], history_from: '2026-01-01' };
    const approved_terms = { ...terms, metric_keys: ['arr', 'mrr'], use: 'ongoing' };
    const reason = 'Only recurring revenue.';
    const approved = await decide(service, made, 'approve', { terms, reason });
    expect(approved.body).toMatchObject({ requested_terms: null, approved_terms, reason });

    const narrower = { scopes: ['metrics:read'], terms: { use: 'once' } };
    const narrowed = await decide(service, made, 'narrow', narrower);
    expectOk(narrowed);
    expect(narrowed.body).toMatchObject({
      approved_scopes: ['metrics:read'],
      approved_terms: { ...approved_terms, use: 'once' },
    });
    expect((await decide(service, made, 'narrow', narrower)).body).toEqual(narrowed.body);

    const paused = await decide(service, made, 'pause');
    expectOk(paused);
    const seen = await service.get(`/v1/access-requests/${made.requestId}`, made.key);
    expect(seen.body.paused_at).toBe(paused.body.paused_at);
    expect(seen.body).not.toHaveProperty('approvals');
    expectRefusal(
      await service.get(`/v1/companies/${made.company.id}/metrics`, made.key),
      'access_paused',
    );
    const resumed = await decide(service, made, 'resume');
    expectOk(resumed);
    expect(resumed.body.paused_at).toBeNull();
    expect(typesOf(await historyOf(service, made))).toEqual([
      'created',
      'approved',
      'narrowed',
      'paused',
      'resumed',
    ]);
  });

  it('the first of two required approvals leaves the request pending, and the second completes it', async () => {
    const made = await fixtures.asking();
    await operator.setApprovalsRequired({ companyId: made.company.id, required: 2 });
    const other = await fixtures.companyKey(made.company.id);
    const first = await decide(service, made, 'approve');
    const by = (id: string) => ({
      actor: { type: 'company_key', id },
      created_at: expect.any(String),
    });
    expect(first.body).toMatchObject({ status: 'pending', approvals: [by(made.companyKeyId)] });
    const second = await decide(service, { ...made, companyKey: other.key }, 'approve');
    expect(second.body).toMatchObject({
      status: 'approved',
      approvals: [by(made.companyKeyId), by(other.keyId)],
    });
  });

  describe('with invalid values', () => {
    it.each([
      ['approve', { scopes: [] }],
      ['approve', { scopes: ['x'] }],
      ['approve', { expires_at: '2020-01-01T00:00:00Z' }],
    ] as const)('%s %j returns 422 and changes nothing', async (action, body) => {
      const made = await fixtures.asking(['metrics:read']);
      expectRefusal(await decide(service, made, action, body), 'invalid_decision');
      expect(typesOf(await historyOf(service, made))).toEqual(['created']);
    });

    it('an end in the past causes an error with the field’s name and the service’s current time', async () => {
      const made = await fixtures.asking();
      const answer = await decide(service, made, 'approve', { expires_at: '2020-01-01T00:00:00Z' });
      const { param, message } = answer.body.error;
      expect(param).toBe('expires_at');
      const [, clock = ''] = /later than now \((.+?)\)/.exec(message) ?? [];
      expect(Math.abs(Date.parse(clock) - Date.now())).toBeLessThan(60_000);
    });

    it.each([
      ['approve', { scopes: 'metrics:read' }, 'scopes'],
      ['approve', { scopes: [1] }, 'scopes[0]'],
      ['approve', { expires_at: '2027-06-01' }, 'expires_at'],
      ['approve', { expires_at: 1_800_000_000 }, 'expires_at'],
      ['approve', { expiresAt: soon() }, 'expiresAt'],
      ['approve', { version: 1 }, 'version'],
      ['approve', { terms: [] }, 'terms'],
      ['approve', { terms: { metric_keys: [] } }, 'terms.metric_keys'],
      ['approve', { terms: { metric_keys: ['arr', ''] } }, 'terms.metric_keys[1]'],
      ['narrow', { terms: { metricKeys: ['arr'] } }, 'terms.metricKeys'],
      ['narrow', { terms: { history_from: '2026' } }, 'terms.history_from'],
      ['pause', { reason: 'x' }, 'reason'],
      ['decline', { reason: 'x'.repeat(1001) }, 'reason'],
      ['decline', { reason: 'a\u0000b' }, 'reason'],
      ['decline', { version: 'x'.repeat(101) }, 'version'],
      ['revoke', { reason: 5 }, 'reason'],
      ['revoke', { version: 'x' }, 'version'],
      ['extend', {}, 'expires_at'],
      ['extend', { version: ['x'], expires_at: soon() }, 'version'],
    ] as const)(
      '%s %j returns 400, and the error contains the field name %s',
      async (action, body, name) => {
        const made = await fixtures.asking();
        const answer = await decide(service, made, action, body);
        expectRefusal(answer, 'invalid_parameter');
        expect(answer.body.error.message).toContain(`The parameter ${name} `);
        expect(typesOf(await historyOf(service, made))).toEqual(['created']);
      },
    );

    it('an end without a time zone causes an error that shows the required format', async () => {
      const made = await fixtures.asking();
      const answer = await decide(service, made, 'approve', { expires_at: '2027-06-01T00:00:00' });
      expect(answer.body.error.message).toBe(
        'The parameter expires_at must be a date and time with a time zone, like 2026-11-02T09:30:00Z.',
      );
    });
  });

  describe('the body', () => {
    it.each([
      ['is absent', {}],
      ['is empty', { raw: '' }],
      ['is empty JSON', { raw: '', headers: json }],
      ['is an empty object', { raw: '{}', headers: json }],
    ])('is accepted for each decision except an extension if it %s', async (_name, ask) => {
      const made = await fixtures.asking();
      const send = (action: (typeof actions)[number], id = made.requestId) =>
        call('POST', `${requestsPath}/${id}/${action}`, { key: made.companyKey, ...ask });
      expectOk(await send('approve'));
      expect((await send('extend')).status).toBe(400);
      expectOk(await send('revoke'));
      const other = await fixtures.asking();
      const path = `${requestsPath}/${other.requestId}/decline`;
      expectOk(await call('POST', path, { key: other.companyKey, ...ask }));
    });

    it.each(actions)(
      'is refused for the decision %s if it isn’t valid JSON, has another media type or is too long',
      async (action) => {
        const { requestId, companyKey: key } = await fixtures.asking();
        const path = `${requestsPath}/${requestId}/${action}`;
        const send = (raw: string, type = 'application/json') =>
          call('POST', path, { key, raw, headers: { 'content-type': type } });
        expectRefusal(await send('{'), 'malformed_json');
        expectRefusal(
          await send('a=b', 'application/x-www-form-urlencoded'),
          'unsupported_media_type',
        );
        expectRefusal(await send('x'.repeat(70_000)), 'payload_too_large');
        const withQuery = await post(`${path}?expires_at=${soon()}`, key, {});
        expectRefusal(withQuery, 'invalid_parameter');
      },
    );
  });

  describe('on a request to another company', () => {
    it.each(actions)(
      '%s gets the same response, byte for byte, as for an unknown id',
      async (action) => {
        const other = await fixtures.asking(['metrics:read']);
        if (action !== 'approve' && action !== 'decline') await decide(service, other, 'approve');
        const { companyKey } = await fixtures.asking();
        const before = await historyOf(service, other);
        const body = action === 'extend' ? { expires_at: soon(1000) } : {};
        const answers = [];
        const unknown = 'ar_00000000000000000000000000000000';
        for (const requestId of [
          other.requestId,
          unknown,
          'x',
          'ar_%00',
          `ar_${'a'.repeat(900)}`,
        ]) {
          const answer = await decide(service, { requestId, companyKey }, action, body);
          expectRefusal(answer, 'access_request_not_found');
          answers.push(withoutRequestId(answer));
        }
        for (const answer of answers) expect(answer).toEqual(answers[0]);
        expect(await historyOf(service, other)).toEqual(before);
      },
    );

    it('a body with unknown fields is refused before the access request is looked up, and wrong scopes afterwards', async () => {
      const other = await fixtures.asking(['metrics:read']);
      const { companyKey } = await fixtures.asking();
      const foreign = { requestId: other.requestId, companyKey };
      expectRefusal(await decide(service, foreign, 'approve', { x: 1 }), 'invalid_parameter');
      const wrong = { scopes: ['sources:read'] };
      expectRefusal(await decide(service, foreign, 'approve', wrong), 'access_request_not_found');
    });
  });
});
