import { expect, it } from 'vitest';
import { soon } from '../company/company.ts';
import type { TestService } from '../support/service.ts';
import { addReader, companyWithRequest, describeDesk } from './desk.ts';

const rowsOf = (text: string) =>
  [...text.matchAll(/<tr[^>]*><th scope="row"(.*?)<\/tr>/gs)].map(([, row = '']) => ({
    row,
    id: /href="\/desk\/requests\/([^"#]+)"/.exec(row)?.[1] ?? '',
    cells: new Map(
      [...row.matchAll(/data-label="([^"]*)">(.*?)<\/td>/gs)].map(([, name, cell]) => [name, cell]),
    ),
  }));

describeDesk('the list of grants', (given) => {
  const approve = ({ operator }: TestService, requestId: string, days: number) =>
    operator.approveAccessRequest({ id: requestId, expiresAt: new Date(soon(days)) });

  const another = (service: TestService, companyId: string, days: number) =>
    addReader(service, companyId, new Date(soon(days)));

  it('shows each grant once, first those that end soon, then the newest ones', async () => {
    const service = given();
    const { contact, requestId, company } = await companyWithRequest(service);
    await approve(service, requestId, 300);
    const later = await another(service, company.id, 200);
    const soonEnding = await another(service, company.id, 20);
    const soonest = await another(service, company.id, 3);
    const { text } = await contact.get('/desk/grants');
    expect(rowsOf(text).map(({ id }) => id)).toEqual([
      soonest.requestId,
      soonEnding.requestId,
      later.requestId,
      requestId,
    ]);
  });

  it('shows how often and when each grant was last read, without counting refused reads', async () => {
    const service = given();
    const { contact, requestId, company, key } = await companyWithRequest(service, [
      'metrics:read',
    ]);
    await approve(service, requestId, 300);
    const unread = await another(service, company.id, 300);
    for (const path of ['metrics', 'metrics/headcount', 'metrics/headcount/history']) {
      expect((await service.get(`/v1/companies/${company.id}/${path}`, key)).status).toBe(200);
    }
    expect((await service.get(`/v1/companies/${company.id}/accounts`, key)).status).toBe(403);
    const rows = new Map(
      rowsOf((await contact.get('/desk/grants')).text).map(({ id, cells }) => [id, cells]),
    );
    expect(rows.get(requestId)?.get('Reads')).toBe('3');
    expect(rows.get(requestId)?.get('Last read')).toMatch(/^<time datetime="/);
    expect(rows.get(unread.requestId)?.get('Reads')).toBe('0');
    expect(rows.get(unread.requestId)?.get('Last read')).toBe('never');
  });

  it('marks a grant if the investor asked for more scopes, and links to the page that extends and revokes it', async () => {
    const service = given();
    const { contact, requestId, key } = await companyWithRequest(service, ['metrics:read']);
    await approve(service, requestId, 300);
    const body = { scopes: ['accounts:read'] };
    await service.call('PATCH', `/v1/access-requests/${requestId}`, { key, body });
    const { text } = await contact.get('/desk/grants');
    const [{ row, cells }] = rowsOf(text) as [ReturnType<typeof rowsOf>[0]];
    expect(cells.get('Can read')).toMatch(/^Metrics<br>.*Asks for more<\/span><\/a> Accounts$/);
    const { text: request } = await contact.get(`/desk/requests/${requestId}`);
    for (const form of ['extend', 'revoke']) {
      expect(row).toContain(`href="/desk/requests/${requestId}#${form}"`);
      expect(request).toContain(`id="${form}"`);
    }
  });
});
