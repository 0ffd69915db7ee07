import { expect, it } from 'vitest';
import { expectOk } from '../support/expectations.ts';
import { conformance } from './conformance.ts';

const path = '/v1/access-requests';
const header = (key: string) => ({ 'idempotency-key': key });

conformance('Idempotency-Key', ({ post, fixtures, call }) => {
  it('replays an answer 200 with the status 200', async () => {
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

  it('two values that differ in case or in one character are different keys', async () => {
    const { company, key } = await fixtures.portfolio();
    const body = { company_id: company.id, scopes: ['metrics:read'] };
    await post(path, key, body, header('Key'));
    for (const name of ['key', 'Key.', "Key'", '__proto__', 'K%65y']) {
      const answer = await post(path, key, body, header(name));
      expectOk(answer);
      expect(answer.headers).not.toHaveProperty('idempotent-replayed');
    }
  });

  it('is ignored for a GET', async () => {
    const { key } = await fixtures.portfolio();
    const answer = await call('GET', path, { key, headers: header('k'.repeat(300)) });
    expectOk(answer);
    expect(answer.headers).not.toHaveProperty('idempotent-replayed');
  });
});
