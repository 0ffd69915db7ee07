import { expect, it } from 'vitest';
import { investorRoutes } from '../../../desk/investor/index.ts';
import type { TestService } from '../../support/service.ts';
import { describeDesk, plain, signIn } from '../desk.ts';
import { addShared, deskRecords, openPortfolio } from './portfolios.ts';

const fromOtherSite = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' };

const pages = investorRoutes.filter(({ method }) => method === 'GET').map(({ path }) => path);

async function open(service: TestService) {
  const opened = await openPortfolio(service);
  const { company, requestId } = await addShared(service, opened, 'Alder');
  const ids = { portfolio: company.id, requests: requestId, settings: '' };
  const addressOf = (path: string) => {
    const part = path.split('/')[1] as keyof typeof ids;
    const query = `company=${company.id}&metric=cash_balance&key=cash_balance`;
    return `/desk${path.replace(':id', ids[part] ?? '').replace(':key', 'cash_balance')}?${query}`;
  };
  return { ...opened, company, addressOf };
}

describeDesk('a link on another site', (given) => {
  it.each(pages)('causes no read: %s', async (path) => {
    const service = given();
    const { person, company, addressOf } = await open(service);
    await person.get(addressOf(path), fromOtherSite);
    expect(await deskRecords(service, company.id)).toEqual([]);
  });

  it.each([
    '/portfolio',
    '/portfolio/:id',
    '/portfolio/:id/metrics/:key',
    '/compare',
    '/portfolio.csv',
  ])('shows a question first, with a link to the same address: %s', async (path) => {
    const service = given();
    const { person, company, addressOf } = await open(service);
    const { status, text } = await person.get(addressOf(path), fromOtherSite);
    expect(status).toBe(200);
    expect(plain(text)).toContain('Open the figures?');
    expect(text).not.toContain('data-live');
    const [, href = ''] = /class="button primary" href="([^"]*)"/.exec(text) ?? [];
    expect(href.replaceAll('&amp;', '&')).toBe(addressOf(path));
    const site = { ...fromOtherSite, 'sec-fetch-site': 'same-origin' };
    expect((await person.get(addressOf(path), site)).text).not.toContain('Open the figures?');
    expect(await deskRecords(service, company.id)).not.toEqual([]);
  });

  it.each(['same-site', 'none', ''])(
    'opens the figures if the header Sec-Fetch-Site is %j',
    async (site) => {
      const service = given();
      const { person, company } = await open(service);
      const headers = site === '' ? {} : { 'sec-fetch-site': site };
      await person.get(`/desk/portfolio/${company.id}`, headers);
      expect(await deskRecords(service, company.id)).toHaveLength(3);
    },
  );

  it('opens pages without figures, and the pages of a company’s contact', async () => {
    const service = given();
    const { person, company } = await open(service);
    const { text } = await person.get('/desk/requests', fromOtherSite);
    expect(plain(text)).toContain('Alder');
    const contact = await signIn(service, company.id);
    const own = await contact.get('/desk/data', fromOtherSite);
    expect(plain(own.text)).toContain('Cash balance');
  });
});
