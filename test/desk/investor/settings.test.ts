import { expect, it } from 'vitest';
import { describeDesk, formTo, signInInvestor } from '../desk.ts';

describeDesk('an investor’s settings', (given) => {
  it('are visible to every role, but can be changed only by admins', async () => {
    const service = given();
    const { investor, keyId } = await service.fixtures.portfolio();
    await signInInvestor(service, investor.id);
    for (const role of ['viewer', 'member'] as const) {
      const visitor = await signInInvestor(service, investor.id, undefined, role);
      const paths = ['', '/keys', '/usage', '/webhooks', '/log'];
      for (const path of paths) {
        const page = await visitor.get(`/desk/settings${path}`);
        expect(page.status, path).toBe(200);
        const actions = page.forms.map(({ action }) => action);
        expect(actions.filter((action) => action.startsWith('/desk/settings'))).toEqual([]);
      }
      const rotation = await visitor.get(`/desk/settings/keys/${keyId}/rotate`);
      expect(rotation.status).toBe(403);
    }
  });

  it('log who created a key, but never its secret', async () => {
    const service = given();
    const { id } = await service.fixtures.investor();
    const visitor = await signInInvestor(service, id);
    const fields = { name: 'Nightly', scopes: ['metrics:read'] };
    const review = await visitor.fill('/desk/settings/keys', '/review', fields);
    const made = await visitor.submit(formTo(review, '/keys'));
    const [secret = ''] = /svc_sk_live_[0-9A-Za-z]{32}/.exec(made.text) ?? [];
    expect(secret).not.toBe('');
    const { text } = await visitor.get('/desk/settings/log');
    expect(text).toContain('Key created');
    expect(text).toContain(visitor.email);
    expect(text).not.toContain(secret);
  });
});
