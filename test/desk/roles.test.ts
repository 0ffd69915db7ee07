import { expect, it } from 'vitest';
import { csrfTokenOf } from '../../desk/security.ts';
import { companyWithRequest, decide, describeDesk, formTo, signIn } from './desk.ts';

describeDesk('roles', (given) => {
  it('a viewer can see a request but can’t decide, and the page explains why', async () => {
    const service = given();
    const { company, requestId, contact } = await companyWithRequest(service);
    const viewer = await signIn(service, company.id, undefined, 'viewer');
    const path = `/desk/requests/${requestId}`;
    const seen = await viewer.get(path);
    expect(seen.text).toContain('Your role is Viewer. This needs the role Approver');
    expect(() => formTo(seen, '/review')).toThrow();
    const { fields } = formTo(await contact.get(path), '/review');
    const own = { csrf: csrfTokenOf(viewer.session), scopes: 'metrics:read' };
    for (const address of [`${path}/review`, `${path}/decide`]) {
      const refused = await viewer.post(address, { ...fields, ...own });
      expect(refused.status, address).toBe(403);
      expect(refused.text).toContain('Your role doesn’t allow this');
    }
    const { accessRequest } = await service.operator.showAccessRequest({ id: requestId });
    expect(accessRequest.status).toBe('pending');
  });

  it('an approver can decide, but can’t manage settings', async () => {
    const service = given();
    const { company, requestId } = await companyWithRequest(service);
    const approver = await signIn(service, company.id, undefined, 'approver');
    const { confirm } = await decide(approver, requestId, 'approve');
    expect((await confirm()).status).toBe(303);
    for (const page of ['', '/keys', '/webhooks']) {
      const { text } = await approver.get(`/desk/settings${page}`);
      expect(text).toContain('Your role is Approver. This needs the role Admin');
      expect(text).not.toMatch(/action="\/desk\/settings[^"]*review"/);
    }
    expect((await approver.get('/desk/data')).text).not.toContain('/desk/data/upload');
    expect((await approver.get('/desk/data/upload')).status).toBe(403);
  });
});
