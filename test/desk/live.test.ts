import { expect, it } from 'vitest';
import type { TestService } from '../support/service.ts';
import { companyWithRequest, decode, describeDesk, deskCookie, type Visitor } from './desk.ts';
import { openShared } from './investor/portfolios.ts';
import { allowPrivate, furnishWebhook } from './settings.ts';

/** Returns the first data of the stream at an address. */
async function beginOf({ url }: TestService, { session }: Visitor, path: string): Promise<string> {
  const leaving = new AbortController();
  const headers = { cookie: `${deskCookie}=${session}` };
  const { body } = await fetch(url + path, { headers, signal: leaving.signal });
  const { value } = (await body?.getReader().read()) ?? {};
  leaving.abort();
  return new TextDecoder().decode(value);
}

const streamOf = async ({ get }: Visitor, path: string): Promise<string> =>
  decode(/data-live="([^"]*)"/.exec((await get(path)).text)?.[1] ?? '');

describeDesk('the stream of an open page of a company', (given) => {
  it('starts with a change only if something changed after the page was loaded', async () => {
    const service = given();
    const { contact, company, key, requestId } = await companyWithRequest(service);
    const begin = async (meanwhile: () => unknown) => {
      const stream = await streamOf(contact, '/desk/activity');
      await meanwhile();
      return beginOf(service, contact, stream);
    };
    expect(await begin(() => undefined)).not.toContain('change');
    const approve = () => service.operator.approveAccessRequest({ id: requestId });
    expect(await begin(approve)).toContain('event: change');
    const read = () => service.get(`/v1/companies/${company.id}/metrics`, key);
    expect(await begin(read)).toContain('event: change');
  });
});

describeDesk(
  'the stream of an open page of an investor',
  (given) => {
    it('starts with a change only if something changed after the page was loaded', async () => {
      const service = given();
      const { person, investor, key, company, requestId } = await openShared(service);
      const { operator } = service;
      const [endpointPath = ''] = await furnishWebhook(service, { investorId: investor.id });
      const changes: [string, () => unknown][] = [
        // This read comes first: after the revocation it would be refused, and a refusal is recorded late.
        ['/desk/activity', () => service.get(`/v1/companies/${company.id}/metrics`, key)],
        ['/desk/requests', () => operator.revokeAccessRequest({ id: requestId })],
        ['/desk/settings/keys', () => service.fixtures.key(investor)],
        [endpointPath, () => furnishWebhook(service, { investorId: investor.id })],
      ];
      for (const [path, change] of changes) {
        const stream = await streamOf(person, path);
        expect(await beginOf(service, person, stream), path).toBe(': begun\n\n');
        if (path === endpointPath) continue;
        const later = await streamOf(person, path);
        await change();
        expect(await beginOf(service, person, later), path).toContain('event: change');
      }
    });

    it('includes one company’s data events on the company’s page, and none on the list of requests', async () => {
      const { company, person } = await openShared(given());
      const page = await person.get(`/desk/portfolio/${company.id}`);
      expect(page.text).toContain(`company=${company.id}`);
      const { text } = await person.get('/desk/requests');
      expect(text).not.toContain('company=co_');
    });
  },
  allowPrivate,
);
