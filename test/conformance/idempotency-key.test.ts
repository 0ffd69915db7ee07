import { afterEach, describe, expect, it, vi } from 'vitest';
import { expectOk, expectRefusal } from '../support/expectations.ts';
import { conformance } from './conformance.ts';

const path = '/v1/access-requests';
const hour = 3_600_000;
const header = (key: string) => ({ 'idempotency-key': key });

conformance('Idempotency-Key', (given) => {
  afterEach(() => vi.useRealTimers());

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

  it('replays the record as it is now', async () => {
    const { post, fixtures, operator } = given();
    const { company, key } = await fixtures.portfolio();
    const body = { company_id: company.id, scopes: ['metrics:read'] };
    const { id } = (await post(path, key, body, header('now'))).body;
    await operator.approveAccessRequest({ id });
    const approved = await post(path, key, body, header('now'));
    expectOk(approved, 201);
    expect(approved.body).toMatchObject({ id, status: 'approved' });
    await operator.revokeAccessRequest({ id });
    const revoked = await post(path, key, body, header('now'));
    expectOk(revoked, 201);
    expect(revoked.body).toMatchObject({ id, status: 'revoked' });
    expect(revoked.headers['idempotent-replayed']).toBe('true');
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

  it('the same key with another body is refused', async () => {
    const { post, fixtures } = given();
    const { investor, company, key } = await fixtures.portfolio();
    const other = await fixtures.companyOf(investor);
    const body = { company_id: company.id, scopes: ['metrics:read'], purpose: 'First.' };
    expectOk(await post(path, key, body, header('again')), 201);
    for (const change of [
      { company_id: other.id },
      { scopes: ['sources:read'] },
      { scopes: ['metrics:read', 'sources:read'] },
      { purpose: 'Second.' },
      { purpose: null },
    ]) {
      const answer = await post(path, key, { ...body, ...change }, header('again'));
      expectRefusal(answer, 'idempotency_key_reused');
    }
  });

  it('belongs to the investor: its keys share it, another investor does not see it', async () => {
    const { post, fixtures } = given();
    const first = await fixtures.portfolio();
    const sibling = await fixtures.key(first.investor);
    const second = await fixtures.portfolio();
    const body = { company_id: first.company.id, scopes: ['metrics:read'] };
    expectOk(await post(path, first.key, body, header('mine')), 201);
    const replayed = await post(path, sibling.key, body, header('mine'));
    expect(replayed.headers['idempotent-replayed']).toBe('true');
    const foreign = { company_id: second.company.id, scopes: ['metrics:read'] };
    const answer = await post(path, second.key, foreign, header('mine'));
    expectOk(answer, 201);
    expect(answer.headers).not.toHaveProperty('idempotent-replayed');
  });

  it('is forgotten after 24 hours, and not before', async () => {
    const { post, fixtures } = given();
    const { company, key } = await fixtures.portfolio();
    const body = { company_id: company.id, scopes: ['metrics:read'] };
    const start = Date.now();
    vi.useFakeTimers({ toFake: ['Date'], now: start });
    expectOk(await post(path, key, body, header('day')), 201);
    vi.setSystemTime(start + 24 * hour - 1);
    const within = await post(path, key, body, header('day'));
    expect(within.headers['idempotent-replayed']).toBe('true');
    vi.setSystemTime(start + 24 * hour);
    const after = await post(path, key, body, header('day'));
    expectOk(after);
    expect(after.headers).not.toHaveProperty('idempotent-replayed');
    const other = { company_id: company.id, scopes: ['metrics:read'], purpose: 'New.' };
    vi.setSystemTime(start + 49 * hour);
    expectOk(await post(path, key, other, header('day')));
  });

  it('255 characters are accepted, 256 are not', async () => {
    const { post, fixtures } = given();
    const { company, key } = await fixtures.portfolio();
    const body = { company_id: company.id, scopes: ['metrics:read'] };
    const refused = await post(path, key, body, header('k'.repeat(256)));
    expectRefusal(refused, 'invalid_parameter');
    expect(refused.body.error.message.toLowerCase()).toContain('idempotency-key');
    expectOk(await post(path, key, body, header('k'.repeat(255))), 201);
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

  it('a refusal leaves no trace: the same key works once the cause is gone', async () => {
    const { post, fixtures, operator } = given();
    const { company, key } = await fixtures.portfolio();
    const body = { company_id: company.id, scopes: ['metrics:read'] };
    expectRefusal(await post(path, key, { scopes: [] }, header('free')), 'missing_company_id');
    expectRefusal(
      await post(path, key, { ...body, company_id: 'co_none' }, header('free')),
      'company_not_found',
    );
    const blocker = await fixtures.request(key, company.id, ['sources:read']);
    expectRefusal(await post(path, key, body, header('free')), 'scope_conflict');
    await operator.declineAccessRequest({ id: blocker.id });
    const answer = await post(path, key, body, header('free'));
    expectOk(answer, 201);
    expect(answer.headers).not.toHaveProperty('idempotent-replayed');
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
