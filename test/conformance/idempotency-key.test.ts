import { describe, expect, it } from 'vitest';
import { expectOk, expectRefusal } from '../support/expectations.ts';
import { conformance } from './conformance.ts';

const path = '/v1/access-requests';
const header = (key: string) => ({ 'idempotency-key': key });

conformance('Idempotency-Key', (given) => {
  it('the same key and body: the same status and record, marked as replayed', async () => {
    const { post, get, fixtures } = given();
    const { company, key } = await fixtures.portfolio();
    const body = { company_id: company.id, scopes: ['metrics:read'], purpose: 'Once.' };
    const first = await post(path, key, body, header('one'));
    expectOk(first, 201);
    expect(first.headers).not.toHaveProperty('idempotent-replayed');
    const second = await post(path, key, body, header('one'));
    expectOk(second, 201);
    expect(second.headers['idempotent-replayed']).toBe('true');
    expect(second.text).toBe(first.text);
    expect((await get(path, key)).body.data).toHaveLength(1);
  });

  it('replays a 200 as a 200', async () => {
    const { post, fixtures } = given();
    const { company, key } = await fixtures.portfolio();
    const body = { company_id: company.id, scopes: ['metrics:read'] };
    const created = await post(path, key, body);
    const existing = await post(path, key, body, header('two'));
    expectOk(existing);
    expect(existing.headers).not.toHaveProperty('idempotent-replayed');
    const replayed = await post(path, key, body, header('two'));
    expectOk(replayed);
    expect(replayed.headers['idempotent-replayed']).toBe('true');
    expect(replayed.body).toEqual(created.body);
  });

  it('keys that differ in case or in one character are different keys', async () => {
    const { post, fixtures } = given();
    const { company, key } = await fixtures.portfolio();
    const body = { company_id: company.id, scopes: ['metrics:read'] };
    await post(path, key, body, header('Key'));
    for (const name of ['key', 'Key.', "Key'", '__proto__', 'K%65y']) {
      const answer = await post(path, key, body, header(name));
      expectOk(answer);
      expect(answer.headers).not.toHaveProperty('idempotent-replayed');
    }
  });

  it('a replay discloses nothing of a company that has left the portfolio', async () => {
    const { post, fixtures, operator } = given();
    const { investor, company, key } = await fixtures.portfolio();
    const body = { company_id: company.id, scopes: ['metrics:read'] };
    expectOk(await post(path, key, body, header('gone')), 201);
    await operator.removeFromPortfolio({ investorId: investor.id, companyId: company.id });
    expectRefusal(await post(path, key, body, header('gone')), 'company_not_found');
  });

  it('means nothing to a GET', async () => {
    const { call, fixtures } = given();
    const { key } = await fixtures.portfolio();
    const answer = await call('GET', path, { key, headers: header('k'.repeat(300)) });
    expectOk(answer);
    expect(answer.headers).not.toHaveProperty('idempotent-replayed');
  });

  describe('at once', () => {
    it('is carried out once: every other is a replay or in use, and succeeds when repeated', async () => {
      const { post, get, fixtures } = given();
      const { company, key } = await fixtures.portfolio();
      const body = { company_id: company.id, scopes: ['metrics:read'] };
      const ask = () => post(path, key, body, header('rush'));
      const answers = await Promise.all(Array.from({ length: 20 }, ask));
      const fresh = answers.filter(
        ({ status, headers }) => status === 201 && !('idempotent-replayed' in headers),
      );
      expect(fresh).toHaveLength(1);
      for (const answer of answers) {
        if (answer.status === 201) expect(answer.body.id).toBe(fresh[0]?.body.id);
        else expectRefusal(answer, 'idempotency_key_in_use');
      }
      const repeated = await ask();
      expectOk(repeated, 201);
      expect(repeated.headers['idempotent-replayed']).toBe('true');
      expect((await get(path, key)).body.data).toHaveLength(1);
    });
  });
});
