import { expect, it } from 'vitest';
import { conformance } from '../conformance/conformance.ts';
import { expectOk, expectRefusal, withoutRequestId } from '../support/expectations.ts';
import { base, requestsPath, soon } from './company.ts';

conformance('the admission of a company', ({ fixtures, get, operator, log }) => {
  it('gives malformed, unknown, revoked and rotated keys the same response, byte for byte', async () => {
    const company = await fixtures.company();
    const revoked = await fixtures.companyKey(company.id);
    await operator.revokeCompanyKey({ id: revoked.keyId });
    const rotated = await fixtures.companyKey(company.id);
    await operator.rotateCompanyKey({ id: rotated.keyId, overlapMilliseconds: 0 });
    const unknown = `svc_ck_live_${'z'.repeat(32)}`;
    const answers = [];
    for (const key of ['svc_ck_live_x', 'x', unknown, revoked.key, rotated.key]) {
      const answer = await get(requestsPath, key);
      expectRefusal(answer, 'invalid_api_key');
      answers.push(withoutRequestId(answer));
    }
    for (const answer of answers) expect(answer).toEqual(answers[0]);
  });

  it('is logged with the company and the key id, but without the secret', async () => {
    const { company, companyKey, companyKeyId } = await fixtures.asking();
    await get(`${base}/events?after=${companyKey}`, companyKey);
    const lines = log.filter((line) => line.includes(companyKeyId));
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { key_id: companyKeyId, company_id: company.id, route: `${base}/events`, status: 410 },
    ]);
    expect(log.join('')).not.toContain(companyKey);
  });
});

conformance(
  'the budget of a company',
  (service) => {
    it('is shared by all keys of the company, and is checked before the request’s parameters', async () => {
      const { companyKey, company, key } = await service.fixtures.asking();
      const remaining = [];
      for (const path of [requestsPath, `${base}/nothing`, `${base}/events?x=1`]) {
        remaining.push((await service.get(path, companyKey)).headers['ratelimit-remaining']);
      }
      expect(remaining).toEqual(['2', '1', '0']);
      const late = await service.post(`${requestsPath}/x/extend`, companyKey, {
        expires_at: soon(),
        unknown: 1,
      });
      expectRefusal(late, 'rate_limit_exceeded');
      const sibling = await service.fixtures.companyKey(company.id);
      const refused = await service.get(requestsPath, sibling.key);
      expectRefusal(refused, 'rate_limit_exceeded');
      expect(refused.body.error.message).toBe('The rate limit of this company is exceeded.');
      expectOk(await service.get('/v1/access-requests', key));
    });
  },
  { environment: { RATE_LIMIT_POINTS: '3' } },
);
