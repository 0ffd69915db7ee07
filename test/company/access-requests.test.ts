import { describe, expect, it } from 'vitest';
import { conformance } from '../conformance/conformance.ts';
import { expectOk, expectRefusal, withoutRequestId } from '../support/expectations.ts';
import type { Json } from '../support/http-client.ts';
import { decide, requestsPath, soon, walk } from './company.ts';

const instant = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

conformance('GET /company/v1/access-requests', (given) => {
  /** A company that so many investors ask, the newest last. */
  async function askedBy(count: number) {
    const { fixtures, operator } = given();
    const company = await fixtures.company();
    const ids: string[] = [];
    for (let index = 0; index < count; index += 1) {
      const investor = await fixtures.investor();
      await operator.addToPortfolio({ investorId: investor.id, companyId: company.id });
      const { key } = await fixtures.key(investor);
      ids.push((await fixtures.request(key, company.id)).id);
    }
    return { company, ids, ...(await fixtures.companyKey(company.id)) };
  }

  it('shows a request as its company sees it, field by field', async () => {
    const { get, fixtures } = given();
    const { investor, company, companyKey, requestId } = await fixtures.asking(['metrics:read']);
    const { body } = await get(requestsPath, companyKey);
    const request = {
      id: requestId,
      object: 'access_request',
      company_id: company.id,
      requested_scopes: ['metrics:read'],
      approved_scopes: [],
      status: 'pending',
      purpose: null,
      expires_at: null,
      created_at: instant,
      investor: { id: investor.id, name: investor.name },
      reason: null,
      decided_at: null,
      version: expect.stringMatching(/^ver_[0-9a-f]{32}$/),
    };
    expect(body).toEqual({
      object: 'list',
      data: [request],
      has_more: false,
      url: requestsPath,
      next_cursor: null,
    });
    const creation = {
      type: 'access_request.created',
      created_at: instant,
      actor: { type: 'investor', id: investor.id },
      reason: null,
      approved_scopes: [],
      expires_at: null,
    };
    const details = await get(`${requestsPath}/${requestId}`, companyKey);
    expect(details.body).toEqual({ ...request, history: [creation] });
  });

  it('tells the whole history, with actor, reason and what was granted', async () => {
    const service = given();
    const made = await service.fixtures.asking();
    const { companyKey, companyKeyId, requestId, investor } = made;
    const end = soon(30);
    await decide(service, made, 'approve', { scopes: ['metrics:read'], expires_at: soon() });
    await decide(service, made, 'extend', { expires_at: end });
    await service.operator.revokeAccessRequest({ id: requestId, reason: 'Sold.' });
    const { body } = await service.get(`${requestsPath}/${requestId}`, companyKey);
    const company = { type: 'company_key', id: companyKeyId };
    const granted = { reason: null, approved_scopes: ['metrics:read'] };
    expect(body.history).toMatchObject([
      { type: 'access_request.created', actor: { type: 'investor', id: investor.id } },
      { type: 'access_request.approved', actor: company, ...granted },
      { type: 'access_request.extended', actor: company, ...granted, expires_at: end },
      {
        type: 'access_request.revoked',
        actor: { type: 'operator', id: null },
        reason: 'Sold.',
        approved_scopes: ['metrics:read'],
      },
    ]);
    expect(body).toMatchObject({ status: 'revoked', reason: 'Sold.', decided_at: instant });
  });

  it('is newest first, in pages that are true to what is there', async () => {
    const service = given();
    const { ids, key } = await askedBy(5);
    const newestFirst = ids.toReversed();
    for (const limit of [1, 2, 3, 5, 200]) {
      const items = await walk(service, `${requestsPath}?limit=${limit}`, key);
      expect(items.map(({ id }) => id)).toEqual(newestFirst);
    }
    const { body } = await service.get(`${requestsPath}?limit=2`, key);
    expect(body).toMatchObject({ has_more: true, next_cursor: expect.any(String) });
    const { body: last } = await service.get(`${requestsPath}?limit=5`, key);
    expect(last).toMatchObject({ has_more: false, next_cursor: null });
  });

  it('pages neither skip nor repeat while investors ask and the company decides', async () => {
    const service = given();
    const { company, ids, key } = await askedBy(5);
    const items = await walk(service, `${requestsPath}?limit=2`, key, async () => {
      const investor = await service.fixtures.investor();
      const companyId = company.id;
      await service.operator.addToPortfolio({ investorId: investor.id, companyId });
      const { id } = await service.fixtures.request(
        (await service.fixtures.key(investor)).key,
        companyId,
      );
      await decide(service, { requestId: id, companyKey: key }, 'decline');
    });
    expect(items.map(({ id }) => id)).toEqual(ids.toReversed());
  });

  it('filters by the status that a request has now', async () => {
    const service = given();
    const { ids, key } = await askedBy(4);
    const [pending = '', approved = '', declined = '', revoked = ''] = ids;
    const decided = (requestId: string) => ({ requestId, companyKey: key });
    await decide(service, decided(approved), 'approve');
    await decide(service, decided(declined), 'decline');
    await decide(service, decided(revoked), 'approve');
    await decide(service, decided(revoked), 'revoke');
    for (const [status, id] of Object.entries({ pending, approved, declined, revoked })) {
      const { body } = await service.get(`${requestsPath}?status=${status}`, key);
      expect(body.data.map((request: Json) => [request.id, request.status])).toEqual([
        [id, status],
      ]);
    }
    expect((await service.get(`${requestsPath}?status=expired`, key)).body.data).toEqual([]);
  });

  it.each([
    ['status', 'status=unknown'],
    ['status', 'status='],
    ['status', 'status=pending&status=approved'],
    ['limit', 'limit=0'],
    ['limit', 'limit=201'],
    ['limit', 'limit='],
    ['limit', 'limit'],
    ['limit', 'limit=abc'],
    ['limit', 'limit=1e2'],
    ['limit', 'limit=0x10'],
    ['limit', 'limit=1.0'],
    ['limit', 'limit=-1'],
    ['limit', 'limit=%2B1'],
    ['limit', 'limit=%201'],
    ['limit', 'limit=99999999999999999999'],
    ['limit', 'limit=1&limit=2'],
    ['cursor', 'cursor='],
    ['cursor', 'cursor=x'],
    ['cursor', 'cursor=1.ar_1%00'],
    ['cursor', 'cursor=1.a&cursor=1.b'],
    ['Status', 'Status=pending'],
    ['investor_id', 'investor_id=inv_1'],
    ['page', 'page=2'],
    ['__proto__', '__proto__=1'],
    ['constructor', 'constructor=1'],
  ])('names the parameter %s of ?%s', async (name, query) => {
    const { get, fixtures } = given();
    const { companyKey } = await fixtures.asking();
    const answer = await get(`${requestsPath}?${query}`, companyKey);
    expectRefusal(answer, 'invalid_parameter');
    expect(answer.body.error.message).toContain(`The parameter ${name} `);
  });

  it('a cursor that nobody wrote leads nowhere or is refused, and breaks nothing', async () => {
    const { get, fixtures } = given();
    const { companyKey } = await fixtures.asking();
    for (const cursor of ['0.ar_1', '1.x', 'zzzzzzzzzz.ar_1', '2gosa7pa2gw.a']) {
      const { status } = await get(`${requestsPath}?cursor=${cursor}`, companyKey);
      expect([200, 400], cursor).toContain(status);
    }
  });

  it('one request takes no parameters', async () => {
    const { get, fixtures } = given();
    const { companyKey, requestId } = await fixtures.asking();
    const answer = await get(`${requestsPath}/${requestId}?limit=1`, companyKey);
    expectRefusal(answer, 'invalid_parameter');
    expect(answer.body.error.message).toContain('limit');
  });

  describe('what is of another company', () => {
    it('is in no list', async () => {
      const { get, fixtures } = given();
      await fixtures.asking();
      const { key } = await fixtures.companyKey((await fixtures.company()).id);
      expect((await get(requestsPath, key)).body.data).toEqual([]);
    });

    it('is not there: the same bytes as for an id that nothing has', async () => {
      const { get, fixtures } = given();
      const other = await fixtures.asking();
      const { companyKey } = await fixtures.asking();
      const answers = [];
      for (const id of [
        other.requestId,
        'ar_00000000000000000000000000000000',
        'x',
        'ar_%00',
        'ar_%F0%9F%92%A9',
        '%2e%2e%2f',
        `ar_${'a'.repeat(8000)}`,
        '__proto__',
      ]) {
        const answer = await get(`${requestsPath}/${id}`, companyKey);
        expectRefusal(answer, 'access_request_not_found');
        answers.push(withoutRequestId(answer));
      }
      for (const answer of answers) expect(answer).toEqual(answers[0]);
    });
  });

  it('stays readable when the company has left the portfolio', async () => {
    const { get, fixtures, operator } = given();
    const { investor, company, companyKey, requestId } = await fixtures.asking();
    await operator.removeFromPortfolio({ investorId: investor.id, companyId: company.id });
    expectOk(await get(`${requestsPath}/${requestId}`, companyKey));
  });
});
