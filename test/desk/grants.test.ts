import { expect, it } from 'vitest';
import { soon } from '../company/company.ts';
import type { TestService } from '../support/service.ts';
import { addReader, asked, decode, describeDesk, signIn } from './desk.ts';

/** The cards of a page, by the request that each leads to. */
const cardsOf = (text: string) =>
  [...text.matchAll(/<li class="card">(.*?)<\/li>/gs)].map(([, card = '']) => ({
    card,
    id: /href="\/desk\/requests\/([^"#]+)"/.exec(card)?.[1] ?? '',
  }));

describeDesk('what is shared', (given) => {
  const approve = ({ operator }: TestService, requestId: string, days: number) =>
    operator.approveAccessRequest({ id: requestId, expiresAt: new Date(soon(days)) });

  const another = (service: TestService, companyId: string, days: number) =>
    addReader(service, companyId, new Date(soon(days)));

  it('shows each grant once: those that end soon first, then the newest', async () => {
    const service = given();
    const { contact, requestId, company } = await asked(service);
    await approve(service, requestId, 300);
    const later = await another(service, company.id, 200);
    const soonEnding = await another(service, company.id, 20);
    const soonest = await another(service, company.id, 3);
    const { text } = await contact.get('/desk/grants');
    expect(cardsOf(text).map(({ id }) => id)).toEqual([
      soonest.requestId,
      soonEnding.requestId,
      later.requestId,
      requestId,
    ]);
  });

  it('tells how often each was read and when last, whatever was refused', async () => {
    const service = given();
    const { contact, requestId, company, key } = await asked(service, ['metrics:read']);
    await approve(service, requestId, 300);
    const unread = await another(service, company.id, 300);
    for (const path of ['metrics', 'metrics/headcount', 'metrics/headcount/history']) {
      expect((await service.get(`/v1/companies/${company.id}/${path}`, key)).status).toBe(200);
    }
    expect((await service.get(`/v1/companies/${company.id}/accounts`, key)).status).toBe(403);
    const cards = new Map(
      cardsOf((await contact.get('/desk/grants')).text).map(({ id, card }) => [id, card]),
    );
    expect(cards.get(requestId)).toMatch(/<dt>Reads<\/dt><dd>3<\/dd>/);
    expect(cards.get(requestId)).toMatch(/<dt>Last read<\/dt><dd><time datetime="/);
    expect(cards.get(unread.requestId)).toMatch(/<dt>Reads<\/dt><dd>0<\/dd>/);
    expect(cards.get(unread.requestId)).toContain('<dt>Last read</dt><dd>never</dd>');
  });

  it('marks a grant to which more is asked for, and leads to where it is extended and revoked', async () => {
    const service = given();
    const { contact, requestId, key } = await asked(service, ['metrics:read']);
    await approve(service, requestId, 300);
    const body = { scopes: ['accounts:read'] };
    await service.call('PATCH', `/v1/access-requests/${requestId}`, { key, body });
    const { text } = await contact.get('/desk/grants');
    const { card } = cardsOf(text)[0] ?? { card: '' };
    expect(card).toContain('<p>Metrics</p>');
    expect(card).toMatch(/Asks for more<\/span> Accounts/);
    const { text: request } = await contact.get(`/desk/requests/${requestId}`);
    for (const form of ['extend', 'revoke']) {
      expect(card).toContain(`href="/desk/requests/${requestId}#${form}"`);
      expect(request).toContain(`id="${form}"`);
    }
  });

  it('shows nothing that is not shared: not what waits, was declined or revoked, and nothing of another company', async () => {
    const service = given();
    const { contact, requestId, company, investor } = await asked(service);
    const other = await asked(service);
    await approve(service, other.requestId, 300);
    expect((await contact.get('/desk/grants')).text).toContain('Nothing is shared');
    await approve(service, requestId, 300);
    expect(cardsOf((await contact.get('/desk/grants')).text)).toHaveLength(1);
    await service.operator.revokeAccessRequest({ id: requestId });
    const colleague = await signIn(service, company.id);
    const { text } = await colleague.get('/desk/grants');
    expect(text).toContain('Nothing is shared');
    expect(text).not.toContain(investor.name);
    expect(text).not.toContain(other.investor.name);
  });

  it('comes in pages that together have each grant once', async () => {
    const service = given();
    const { contact, requestId, company } = await asked(service);
    await approve(service, requestId, 300);
    const made = [requestId];
    for (let count = 0; count < 55; count += 1) {
      made.push((await another(service, company.id, count < 3 ? 5 : 300)).requestId);
    }
    const shown: string[] = [];
    let next: string | undefined = '/desk/grants';
    while (next !== undefined) {
      const { text } = await contact.get(next);
      shown.push(...cardsOf(text).map(({ id }) => id));
      const older: RegExpExecArray | null = /rel="next" href="([^"]+)"/.exec(text);
      next = older?.[1] && decode(older[1]);
    }
    expect(shown.toSorted()).toEqual(made.toSorted());
  });
});
