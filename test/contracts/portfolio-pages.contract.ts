import { expect, test } from 'vitest';
import {
  type Company,
  type CompanyAccess,
  companyAccess,
  companyAccesses,
  type Investor,
  type PortfolioPart,
} from '#core';
import {
  aCompany,
  addCompany,
  addInvestor,
  addRequests,
  anAccessRequest,
  anEntry,
  approved,
  at,
  companyRecord,
  day,
  declined,
  firstPage,
  importAll,
} from './builders.ts';
import { contract } from './contract.ts';

export const portfolioPagesContract = contract('pages of a portfolio', (repositories) => {
  async function page({ id }: Investor, part: Partial<PortfolioPart> = {}): Promise<string[]> {
    const whole = { ...firstPage(id), ...part };
    const entries = await repositories.directory.pagePortfolio(whole);
    // The count covers the whole list, not only the requested page.
    const all = await repositories.directory.pagePortfolio({
      ...whole,
      ...{ above: null, below: null, limit: 1_000 },
    });
    expect(await repositories.directory.countPortfolio(whole)).toBe(all.length);
    return entries.map(({ company }) => company.name);
  }

  async function portfolioOf(...names: string[]) {
    const investor = await addInvestor(repositories);
    const companies: Company[] = [];
    for (const [index, companyName] of names.entries()) {
      const company = await addCompany(repositories, { name: companyName });
      await repositories.directory.addToPortfolio(investor, company, at(index), anEntry());
      companies.push(company);
    }
    return { investor, companies };
  }

  test('can be sorted by name (by character codes) or by time of addition, in both directions', async () => {
    const { investor } = await portfolioOf('Beacon', 'Anchor', 'anchor', 'Ångström', '港');
    const byName = ['Anchor', 'Beacon', 'anchor', 'Ångström', '港'];
    const byAge = ['Beacon', 'Anchor', 'anchor', 'Ångström', '港'];
    expect(await page(investor)).toEqual(byName);
    expect(await page(investor, { isDownward: true })).toEqual(byName.toReversed());
    expect(await page(investor, { order: 'addedAt' })).toEqual(byAge);
    expect(await page(investor, { order: 'addedAt', isDownward: true })).toEqual(
      byAge.toReversed(),
    );
    expect(await page(investor, { limit: 2 })).toEqual(byName.slice(0, 2));
    expect(await page(investor, { limit: 2, isDownward: true })).toEqual(['港', 'Ångström']);
  });

  test('can be limited by two list positions, even if their companies no longer exist', async () => {
    const { investor, companies } = await portfolioOf('A', 'B', 'B', 'C');
    const [, b, secondB] = companies.map(({ name: value, id }) => ({ value, id }));
    expect(await page(investor, { above: b ?? null })).toEqual(['B', 'C']);
    expect(await page(investor, { above: secondB ?? null })).toEqual(['C']);
    expect(await page(investor, { below: secondB ?? null, isDownward: true })).toEqual(['B', 'A']);
    expect(await page(investor, { above: b ?? null, below: secondB ?? null })).toEqual([]);
    const gone = { value: 'Aa', id: 'co_gone' };
    expect(await page(investor, { above: gone })).toEqual(['B', 'B', 'C']);
    expect(await page(investor, { below: gone })).toEqual(['A']);
    const added = { value: at(1).toISOString(), id: b?.id ?? '' };
    expect(await page(investor, { order: 'addedAt', above: added })).toEqual(['B', 'C']);
    expect(await page(investor, { order: 'addedAt', below: added })).toEqual(['A']);
  });

  test('can be filtered by the ids of companies in this portfolio', async () => {
    const { investor, companies } = await portfolioOf('A', 'B', 'C');
    const other = await portfolioOf('D');
    const ids = [companies[2], companies[0], other.companies[0]].map((one) => one?.id ?? '');
    expect(await page(investor, { ids })).toEqual(['A', 'C']);
    expect(await page(investor, { ids, isDownward: true, limit: 1 })).toEqual(['C']);
    expect(await page(investor, { ids: [] })).toEqual([]);
    expect(await page(investor)).toEqual(['A', 'B', 'C']);
  });

  test('can be filtered by a part of the name, ignoring case', async () => {
    const { investor } = await portfolioOf('Harbor 100% Ltd', 'harbour_x', 'Lumen\\Energy');
    expect(await page(investor, { search: 'HARB' })).toEqual(['Harbor 100% Ltd', 'harbour_x']);
    expect(await page(investor, { search: '0%' })).toEqual(['Harbor 100% Ltd']);
    expect(await page(investor, { search: '_' })).toEqual(['harbour_x']);
    expect(await page(investor, { search: 'n\\e' })).toEqual(['Lumen\\Energy']);
    expect(await page(investor, { search: 'none' })).toEqual([]);
  });

  test('can be filtered by the access status at a given time', async () => {
    const { investor, companies } = await portfolioOf('None', 'Pending', 'Approved', 'Declined');
    const [, pending, granted, refused] = companies as [Company, Company, Company, Company];
    const request = (company: Company) => anAccessRequest({ investor, company });
    await addRequests(
      repositories,
      request(pending),
      approved(request(granted)),
      declined(request(refused)),
    );
    const entries = await repositories.directory.readPortfolio(investor.id);
    for (const now of [at(), at(40 * day), at(400 * day)]) {
      for (const access of companyAccesses) {
        const expected = entries.filter(
          ({ newestRequest }) => companyAccess(newestRequest, now) === access,
        );
        expect(await page(investor, { access, now }), access).toEqual(
          expected.map(({ company }) => company.name),
        );
      }
    }
    expect(await page(investor, { access: 'approved' satisfies CompanyAccess })).toEqual([
      'Approved',
    ]);
  });

  test('contain the portfolio entry of each company and the time of its addition', async () => {
    const { investor, companies } = await portfolioOf('A');
    const [company] = companies as [Company];
    await addRequests(repositories, approved(anAccessRequest({ investor, company })));
    const entries = await repositories.directory.readPortfolio(investor.id);
    const found = await repositories.directory.pagePortfolio(firstPage(investor.id));
    expect(found).toEqual(entries.map((entry) => ({ ...entry, addedAt: at(0) })));
  });

  test('can be read for several investors together, and each investor gets its own companies', async () => {
    const [one, two] = [await portfolioOf('A', 'B'), await portfolioOf('C')];
    const none = await addInvestor(repositories);
    const pages = [one.investor, two.investor, none, one.investor].map((investor, index) =>
      page(investor, { limit: index === 3 ? 1 : 10 }),
    );
    expect(await Promise.all(pages)).toEqual([['A', 'B'], ['C'], [], ['A']]);
  });

  test('contain the current name of a company', async () => {
    const investor = await addInvestor(repositories);
    const company = aCompany({ name: 'Old' });
    await repositories.directory.addCompany(company, anEntry());
    await repositories.directory.addToPortfolio(investor, company, at(), anEntry());
    await importAll(repositories, [companyRecord({ ...company, name: 'New' })]);
    expect(await page(investor, { search: 'new' })).toEqual(['New']);
    expect(await page(investor, { search: 'old' })).toEqual([]);
    expect(await page(investor, { above: { value: 'M', id: '' } })).toEqual(['New']);
  });
});
