import { describe, expect, it } from 'vitest';
import { conformance } from '../conformance/conformance.ts';
import { expectRefusal, withoutRequestId } from '../support/expectations.ts';
import { requestsPath, walk } from './company.ts';

const instant = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

conformance('GET /company/v1/access-requests', (service) => {
  const { fixtures, operator, get } = service;

  /** Returns the ids of the requests of `count` investors, the newest last. */
  async function askedBy(count: number) {
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

  it('returns each field of a request, and also the history of a single request', async () => {
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
      requested_terms: null,
      approved_terms: null,
      paused_at: null,
      ended_at: null,
      answer_by: instant,
      approvals: [],
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

  it('lists requests newest first, page by page', async () => {
    const { ids, key } = await askedBy(3);
    // Requests of the same millisecond are ordered by their ids.
    const items = await walk(service, `${requestsPath}?limit=2`, key);
    expect(items.map(({ id }) => id)).toEqual(ids.toSorted().toReversed());
    const { body } = await get(`${requestsPath}?limit=2`, key);
    expect(body).toMatchObject({ has_more: true, next_cursor: expect.any(String) });
  });

  it('returns 200 or 400 for an invented cursor, never 500', async () => {
    const { companyKey } = await fixtures.asking();
    for (const cursor of ['0.ar_1', '1.x', 'zzzzzzzzzz.ar_1', '2gosa7pa2gw.a']) {
      const { status } = await get(`${requestsPath}?cursor=${cursor}`, companyKey);
      expect([200, 400], cursor).toContain(status);
    }
  });

  describe('one request', () => {
    it('to another company causes the same response, byte for byte, as an unknown id', async () => {
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
});
