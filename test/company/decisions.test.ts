import { describe, expect, it } from 'vitest';
import { conformance } from '../conformance/conformance.ts';
import { expectOk, expectRefusal, withoutRequestId } from '../support/expectations.ts';
import { actions, decide, historyOf, requestsPath, soon, typesOf } from './company.ts';

const json = { 'content-type': 'application/json' };

conformance('the decisions of a company', (service) => {
  const { call, fixtures, post } = service;

  it('approve without scopes grants all requested scopes, and the investor can read at once', async () => {
    const made = await service.fixtures.asking();
    const answer = await decide(service, made, 'approve');
    expectOk(answer);
    expect(answer.body).toMatchObject({
      id: made.requestId,
      status: 'approved',
      approved_scopes: ['metrics:read', 'accounts:read', 'sources:read'],
      investor: { id: made.investor.id, name: made.investor.name },
      reason: null,
    });
    expectOk(await service.get(`/v1/companies/${made.company.id}/metrics`, made.key));
  });

  it('approve with scopes and an end grants only these scopes, until this end', async () => {
    const made = await service.fixtures.asking();
    const body = {
      scopes: ['metrics:read', 'metrics:read'],
      expires_at: '2027-06-01T12:00:00+02:00',
    };
    const answer = await decide(service, made, 'approve', body);
    expect(answer.body).toMatchObject({
      approved_scopes: ['metrics:read'],
      expires_at: '2027-06-01T10:00:00.000Z',
    });
    const path = `/v1/companies/${made.company.id}/sources`;
    expectRefusal(await service.get(path, made.key), 'access_required');
  });

  it('decline and revoke show the reason to both sides', async () => {
    for (const action of ['decline', 'revoke'] as const) {
      const made = await service.fixtures.asking();
      if (action === 'revoke') await decide(service, made, 'approve');
      const reason = 'Please ask again after the closing. <b>Ж</b>';
      const { body } = await decide(service, made, action, { reason });
      expect(body).toMatchObject({ status: `${action}d`, reason });
      const seen = await service.get(`/v1/access-requests/${made.requestId}`, made.key);
      expect(seen.body).toMatchObject({ reason, decided_at: body.decided_at });
    }
  });

  describe('with invalid values', () => {
    it.each([
      ['approve', { scopes: [] }],
      ['approve', { scopes: ['x'] }],
      ['approve', { expires_at: '2020-01-01T00:00:00Z' }],
    ] as const)('%s %j returns 422 and changes nothing', async (action, body) => {
      const made = await service.fixtures.asking(['metrics:read']);
      expectRefusal(await decide(service, made, action, body), 'invalid_decision');
      expect(typesOf(await historyOf(service, made))).toEqual(['created']);
    });

    it('an end in the past gets an error with the name of the field and the time of the service', async () => {
      const made = await service.fixtures.asking();
      const answer = await decide(service, made, 'approve', { expires_at: '2020-01-01T00:00:00Z' });
      const { param, message } = answer.body.error;
      expect(param).toBe('expires_at');
      const [, clock = ''] = /later than now \((.+?)\)/.exec(message) ?? [];
      expect(Math.abs(Date.parse(clock) - Date.now())).toBeLessThan(60_000);
    });

    it.each([
      ['approve', { scopes: 'metrics:read' }, 'scopes'],
      ['approve', { scopes: [1] }, 'scopes[0]'],
      ['approve', { expires_at: 'tomorrow' }, 'expires_at'],
      ['approve', { expires_at: '2027-06-01' }, 'expires_at'],
      ['approve', { expires_at: '2027-06-01T00:00:00' }, 'expires_at'],
      ['approve', { expires_at: 1_800_000_000 }, 'expires_at'],
      ['approve', { expiresAt: soon() }, 'expiresAt'],
      ['approve', { id: 'ar_1' }, 'id'],
      ['approve', { reason: 'x' }, 'reason'],
      ['decline', { reason: 'x'.repeat(1001) }, 'reason'],
      ['decline', { reason: 'a\u0000b' }, 'reason'],
      ['decline', { reason: ['x'] }, 'reason'],
      ['revoke', { reason: 5 }, 'reason'],
      ['revoke', { scopes: [] }, 'scopes'],
      ['approve', { seen: 'pending' }, 'seen'],
      ['approve', { version: 1 }, 'version'],
      ['decline', { version: 'x'.repeat(101) }, 'version'],
      ['extend', { version: ['x'], expires_at: soon() }, 'version'],
      ['revoke', { version: 'x' }, 'version'],
      ['extend', {}, 'expires_at'],
      ['extend', { expires_at: null }, 'expires_at'],
      ['extend', { expires_at: soon(), scopes: [] }, 'scopes'],
    ] as const)('%s %j returns 400 and names %s', async (action, body, name) => {
      const made = await service.fixtures.asking();
      const answer = await decide(service, made, action, body);
      expectRefusal(answer, 'invalid_parameter');
      expect(answer.body.error.message).toContain(`The parameter ${name} `);
      expect(typesOf(await historyOf(service, made))).toEqual(['created']);
    });

    it('an end without a time zone gets an error that shows the required format', async () => {
      const made = await service.fixtures.asking();
      const answer = await decide(service, made, 'approve', { expires_at: '2027-06-01T00:00:00' });
      expect(answer.body.error.message).toBe(
        'The parameter expires_at must be a date and time with a time zone, like 2026-11-02T09:30:00Z.',
      );
    });

    it.each(['[]', 'null', '"x"', '1', 'true'])(
      'the body %s is refused because it isn’t an object',
      async (raw) => {
        const { requestId, companyKey: key } = await fixtures.asking();
        for (const action of actions) {
          const path = `${requestsPath}/${requestId}/${action}`;
          const answer = await call('POST', path, { key, raw, headers: json });
          expectRefusal(answer, 'invalid_parameter');
        }
      },
    );

    it('a query parameter is refused', async () => {
      const { requestId, companyKey } = await fixtures.asking();
      for (const action of actions) {
        const path = `${requestsPath}/${requestId}/${action}?expires_at=${soon()}`;
        const answer = await post(path, companyKey, {});
        expectRefusal(answer, 'invalid_parameter');
        expect(answer.body.error.message).toContain('expires_at');
      }
    });
  });

  describe('the body', () => {
    it.each([
      ['is absent', {}],
      ['is empty', { raw: '' }],
      ['is empty JSON', { raw: '', headers: json }],
      ['is an empty object', { raw: '{}', headers: json }],
    ])('is accepted for each decision except an extension if it %s', async (_name, ask) => {
      const made = await service.fixtures.asking();
      const send = (action: (typeof actions)[number], id = made.requestId) =>
        service.call('POST', `${requestsPath}/${id}/${action}`, { key: made.companyKey, ...ask });
      expectOk(await send('approve'));
      expect((await send('extend')).status).toBe(400);
      expectOk(await send('revoke'));
      const other = await service.fixtures.asking();
      const path = `${requestsPath}/${other.requestId}/decline`;
      expectOk(await service.call('POST', path, { key: other.companyKey, ...ask }));
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
        expectRefusal(await send('x', 'text/plain'), 'unsupported_media_type');
        expectRefusal(await send('x'.repeat(70_000)), 'payload_too_large');
      },
    );
  });

  describe('on a request to another company', () => {
    it.each(actions)(
      '%s gets the same answer, byte for byte, as for an unknown id',
      async (action) => {
        const other = await service.fixtures.asking();
        if (action === 'revoke' || action === 'extend') await decide(service, other, 'approve');
        const { companyKey } = await service.fixtures.asking();
        const before = await historyOf(service, other);
        const body = action === 'extend' ? { expires_at: soon(1000) } : {};
        const answers = [];
        const nobody = 'ar_00000000000000000000000000000000';
        for (const requestId of [other.requestId, nobody, 'x', 'ar_%00', `ar_${'a'.repeat(900)}`]) {
          const answer = await decide(service, { requestId, companyKey }, action, body);
          expectRefusal(answer, 'access_request_not_found');
          answers.push(withoutRequestId(answer));
        }
        for (const answer of answers) expect(answer).toEqual(answers[0]);
        expect(await historyOf(service, other)).toEqual(before);
      },
    );

    it('the error doesn’t reveal whether the decision would be possible', async () => {
      const other = await service.fixtures.asking(['metrics:read']);
      const { companyKey } = await service.fixtures.asking();
      const foreign = { requestId: other.requestId, companyKey };
      expectRefusal(await decide(service, foreign, 'revoke'), 'access_request_not_found');
      const wrong = { scopes: ['sources:read'] };
      expectRefusal(await decide(service, foreign, 'approve', wrong), 'access_request_not_found');
    });

    it('the body is checked before the request is looked up', async () => {
      const other = await service.fixtures.asking();
      const { companyKey } = await service.fixtures.asking();
      const foreign = { requestId: other.requestId, companyKey };
      expectRefusal(await decide(service, foreign, 'approve', { x: 1 }), 'invalid_parameter');
    });
  });
});
