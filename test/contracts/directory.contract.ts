import { expect, test } from 'vitest';
import type { Company, Investor } from '#core';
import {
  aCompany,
  addCompany,
  addInvestor,
  addPair,
  addRequests,
  anAccessRequest,
  anEntry,
  anInvestor,
  approved,
  at,
  declined,
  freshId,
} from './builders.ts';
import { contract } from './contract.ts';

const inPortfolio = ({ suspendedAt: _, ...company }: Company) => company;

const bothOf = (investor: Investor, company: Company) => ({
  investorId: investor.id,
  companyId: company.id,
});

export const directoryContract = contract('directory', (repositories) => {
  test('an investor is read back as it was added, to the millisecond', async () => {
    const investor = anInvestor({ environment: 'test', createdAt: at(123) });
    await repositories.directory.addInvestor(investor, [], []);
    expect(await repositories.directory.findInvestor(investor.id)).toEqual(investor);
  });

  test('an investor is added together with its whole portfolio, or not at all', async () => {
    const { directory } = repositories;
    const own = await addCompany(repositories, { environment: 'test' });
    const foreign = await addCompany(repositories, { environment: 'live' });
    const investor = anInvestor({ environment: 'test' });
    await expect(directory.addInvestor(investor, [own.id, foreign.id], [])).rejects.toThrow();
    expect(await directory.findInvestor(investor.id)).toBeNull();
    await directory.addInvestor(investor, [own.id], []);
    const read = await directory.readPortfolio(investor.id);
    expect(read.map(({ company }) => company.id)).toEqual([own.id]);
  });

  test('a look-up of an investor or a company that doesn’t exist returns null', async () => {
    expect(await repositories.directory.findInvestor(freshId('inv'))).toBeNull();
    expect(await repositories.directory.findCompany(freshId('co'))).toBeNull();
  });

  test('investors are listed oldest first', async () => {
    const late = await addInvestor(repositories, { createdAt: at(2) });
    const early = await addInvestor(repositories, { createdAt: at(1) });
    const own = [late.id, early.id];
    const listed = await repositories.directory.listInvestors();
    expect(listed.filter(({ id }) => own.includes(id))).toEqual([early, late]);
  });

  test('a company is read back as it was added', async () => {
    const company = aCompany({ environment: 'test', createdAt: at(456), name: 'Ægir & Søn 港' });
    expect(await repositories.directory.addCompany(company, anEntry())).toBe(true);
    expect(await repositories.directory.findCompany(company.id)).toEqual(company);
  });

  test('a company with an existing id isn’t added, and the existing company stays unchanged', async () => {
    const first = await addCompany(repositories);
    const second = { ...first, name: 'Another', environment: 'test' as const };
    expect(await repositories.directory.addCompany(second, anEntry())).toBe(false);
    expect(await repositories.directory.findCompany(first.id)).toEqual(first);
  });

  test('companies are listed oldest first', async () => {
    const late = await addCompany(repositories, { createdAt: at(2) });
    const early = await addCompany(repositories, { createdAt: at(1) });
    const own = [late.id, early.id];
    const listed = await repositories.directory.listCompanies();
    expect(listed.filter(({ id }) => own.includes(id))).toEqual([early, late]);
  });

  test('a company of another environment can’t join a portfolio, even if the given objects have the same environment', async () => {
    const investor = await addInvestor(repositories, { environment: 'live' });
    const company = await addCompany(repositories, { environment: 'test' });
    const { directory } = repositories;
    await expect(directory.addToPortfolio(investor, company, at(), anEntry())).rejects.toThrow();
    await expect(
      directory.addToPortfolio(investor, { ...company, environment: 'live' }, at(), anEntry()),
    ).rejects.toThrow();
    await expect(
      directory.addToPortfolio({ ...investor, environment: 'test' }, company, at(), anEntry()),
    ).rejects.toThrow();
    expect(await directory.isInPortfolio(investor.id, company.id)).toBe(false);
  });

  test('an unknown investor or company can’t be added to a portfolio', async () => {
    const { investor, company } = await addPair(repositories);
    const { directory } = repositories;
    await expect(
      directory.addToPortfolio(anInvestor(), company, at(), anEntry()),
    ).rejects.toThrow();
    await expect(directory.addToPortfolio(investor, aCompany(), at(), anEntry())).rejects.toThrow();
  });

  test('a company that joins a portfolio twice is in the portfolio once', async () => {
    const { investor, company } = await addPair(repositories);
    await repositories.directory.addToPortfolio(investor, company, at(1), anEntry());
    expect(await repositories.directory.isInPortfolio(investor.id, company.id)).toBe(true);
    expect(await repositories.directory.readPortfolio(investor.id)).toHaveLength(1);
  });

  test('a company is only in the portfolio to which it was added', async () => {
    const { company } = await addPair(repositories);
    const other = await addInvestor(repositories);
    expect(await repositories.directory.isInPortfolio(other.id, company.id)).toBe(false);
    expect(await repositories.directory.readPortfolio(other.id)).toEqual([]);
  });

  test('portfolio entries are sorted by investor, then by company name, and can be filtered by investor and company', async () => {
    const { directory } = repositories;
    const first = await addInvestor(repositories, { id: `${freshId('inv')}A` });
    const second = await addInvestor(repositories, { id: `${first.id}B` });
    const late = await addCompany(repositories, { name: 'Zebra' });
    const early = await addCompany(repositories, { name: 'Aero' });
    await directory.addToPortfolio(second, early, at(3), anEntry());
    await directory.addToPortfolio(first, late, at(1), anEntry());
    await directory.addToPortfolio(first, early, at(2), anEntry());
    const membership = (investor: typeof first, company: typeof late, addedAt: Date) => ({
      investor: { id: investor.id, name: investor.name },
      company: { id: company.id, name: company.name },
      environment: investor.environment,
      addedAt,
    });
    const all = [
      membership(first, early, at(2)),
      membership(first, late, at(1)),
      membership(second, early, at(3)),
    ];
    const everything = { investorId: null, companyId: null, limit: 100_000 };
    const own = [first.id, second.id];
    const listed = await directory.listMemberships(everything);
    expect(listed.filter(({ investor }) => own.includes(investor.id))).toEqual(all);
    const ofFirst = { ...everything, investorId: first.id };
    expect(await directory.listMemberships(ofFirst)).toEqual(all.slice(0, 2));
    expect(await directory.listMemberships({ ...ofFirst, limit: 1 })).toEqual(all.slice(0, 1));
    const ofEarly = { ...everything, companyId: early.id };
    expect(await directory.listMemberships(ofEarly)).toEqual([all[0], all[2]]);
    const ofBoth = { ...ofFirst, companyId: late.id };
    expect(await directory.listMemberships(ofBoth)).toEqual([all[1]]);
  });

  test('a removed company is missing from the next read of the portfolio', async () => {
    const { investor, company } = await addPair(repositories);
    const { directory } = repositories;
    expect(await directory.removeFromPortfolio(investor.id, company.id, anEntry())).toBe(true);
    expect(await directory.isInPortfolio(investor.id, company.id)).toBe(false);
    expect(await directory.readPortfolio(investor.id)).toEqual([]);
    expect(await directory.removeFromPortfolio(investor.id, company.id, anEntry())).toBe(false);
  });

  test('a company that rejoins a portfolio has its current name, a new time of addition and its earlier access request', async () => {
    const { investor, company } = await addPair(repositories);
    await addRequests(repositories, anAccessRequest({ investor, company }));
    const { directory } = repositories;
    await directory.removeFromPortfolio(investor.id, company.id, anEntry());
    expect(await directory.listMemberships({ ...bothOf(investor, company), limit: 2 })).toEqual([]);
    await directory.rename({ companyId: company.id }, 'Zenith', anEntry());
    await directory.addToPortfolio(investor, company, at(7), anEntry());
    expect(
      await directory.listMemberships({ ...bothOf(investor, company), limit: 2 }),
    ).toMatchObject([{ company: { name: 'Zenith' }, addedAt: at(7) }]);
  });

  test('a portfolio is sorted by name, then by id', async () => {
    const investor = await addInvestor(repositories);
    const names = ['Beacon', 'Anchor', 'Beacon', 'anchor', 'Ångström'];
    const companies = names.map((companyName) => aCompany({ name: companyName }));
    for (const company of companies.toReversed()) {
      await repositories.directory.addCompany(company, anEntry());
      await repositories.directory.addToPortfolio(investor, company, at(), anEntry());
    }
    const read = await repositories.directory.readPortfolio(investor.id);
    const [beacon, anchor, secondBeacon, lowerCase, foreign] = companies;
    const inOrder = [anchor, beacon, secondBeacon, lowerCase, foreign];
    expect(read.map(({ company }) => company.id)).toEqual(inOrder.map((one) => one?.id));
  });

  test('each company in a portfolio has the investor’s newest access request', async () => {
    const { investor, company } = await addPair(repositories);
    const without = await addCompany(repositories, { name: 'Zenith' });
    await repositories.directory.addToPortfolio(investor, without, at(), anEntry());
    const old = declined(anAccessRequest({ investor, company }, { createdAt: at(1) }));
    const newest = approved(anAccessRequest({ investor, company }, { createdAt: at(2) }));
    await addRequests(repositories, old, newest);
    const other = await addInvestor(repositories);
    await repositories.directory.addToPortfolio(other, company, at(), anEntry());
    await addRequests(
      repositories,
      anAccessRequest({ investor: other, company }, { createdAt: at(3) }),
    );

    const { id, status, approvedScopes, pendingScopes, deadlineAt } = newest;
    const limits = { approvedTerms: null, pausedAt: null, firstReadAt: null };
    const state = {
      status,
      approvedScopes,
      pendingScopes,
      deadlineAt,
      declinedAt: null,
      ...limits,
    };
    const entries = [
      { company: inPortfolio(company), newestRequest: { id, ...state } },
      { company: inPortfolio(without), newestRequest: null },
    ];
    const { directory } = repositories;
    expect(await directory.readPortfolio(investor.id)).toEqual(entries);
    const found = [company, without, company].map((one) =>
      directory.findInPortfolio(investor.id, one.id),
    );
    expect(await Promise.all(found)).toEqual([...entries, entries[0]]);
  });

  test('a company can’t be found in another portfolio, or after it was removed from the portfolio', async () => {
    const { investor, company } = await addPair(repositories);
    const other = await addPair(repositories);
    const { directory } = repositories;
    const find = (companyId: string) => directory.findInPortfolio(investor.id, companyId);
    const [own, foreign, unknown] = await Promise.all(
      [company.id, other.company.id, freshId('co')].map(find),
    );
    expect([own?.company, foreign, unknown]).toEqual([inPortfolio(company), null, null]);
    await directory.removeFromPortfolio(investor.id, company.id, anEntry());
    expect(await find(company.id)).toBeNull();
  });

  test('a renamed company is sorted by its new name', async () => {
    const { investor, company } = await addPair(repositories);
    const other = await addCompany(repositories, { name: 'Lighthouse' });
    const { directory } = repositories;
    await directory.addToPortfolio(investor, other, at(), anEntry());
    expect(await directory.rename({ companyId: company.id }, 'Zenith', anEntry())).toBe(true);
    const names = (await directory.readPortfolio(investor.id)).map(({ company: { name } }) => name);
    expect(names).toEqual(['Lighthouse', 'Zenith']);
    expect(await directory.rename({ investorId: investor.id }, 'North & Co', anEntry())).toBe(true);
    expect((await directory.findInvestor(investor.id))?.name).toBe('North & Co');
    expect(await directory.rename({ companyId: freshId('co') }, 'Nobody', anEntry())).toBe(false);
  });

  test.each(['company', 'investor'] as const)(
    'the company is missing from the portfolio while the %s is suspended, and is there unchanged afterwards',
    async (kind) => {
      const { investor, company } = await addPair(repositories);
      const request = approved(anAccessRequest({ investor, company }));
      await addRequests(repositories, request);
      const { directory } = repositories;
      const owner = kind === 'company' ? { companyId: company.id } : { investorId: investor.id };
      const look = async () => ({
        isThere: await directory.isInPortfolio(investor.id, company.id),
        found: (await directory.findInPortfolio(investor.id, company.id))?.newestRequest?.id,
        read: (await directory.readPortfolio(investor.id)).length,
      });
      const before = await look();
      expect(before).toEqual({ isThere: true, found: request.id, read: 1 });
      expect(await directory.suspend(owner, at(5), anEntry())).toBe(true);
      expect(await look()).toEqual({ isThere: false, found: undefined, read: 0 });
      const found =
        kind === 'company'
          ? await directory.findCompany(company.id)
          : await directory.findInvestor(investor.id);
      expect(found?.suspendedAt).toEqual(at(5));
      expect(
        await directory.listMemberships({ ...bothOf(investor, company), limit: 2 }),
      ).toHaveLength(1);
      expect(await directory.suspend(owner, null, anEntry())).toBe(true);
      expect(await look()).toEqual(before);
    },
  );

  test('a company that joins a portfolio during a suspension appears there after the suspension', async () => {
    const investor = await addInvestor(repositories);
    const company = await addCompany(repositories);
    const { directory } = repositories;
    await directory.suspend({ companyId: company.id }, at(), anEntry());
    await directory.suspend({ investorId: investor.id }, at(), anEntry());
    await directory.addToPortfolio(investor, company, at(), anEntry());
    const isThere = () => directory.isInPortfolio(investor.id, company.id);
    expect(await isThere()).toBe(false);
    await directory.suspend({ companyId: company.id }, null, anEntry());
    expect(await isThere()).toBe(false);
    await directory.suspend({ investorId: investor.id }, null, anEntry());
    expect(await isThere()).toBe(true);
  });

  test('an erased company or investor can’t be renamed, suspended or resumed', async () => {
    const { investor, company } = await addPair(repositories);
    const { directory } = repositories;
    const erased = [
      [{ companyId: company.id }, `Erased company ${company.id}`],
      [{ investorId: investor.id }, `Erased investor ${investor.id}`],
    ] as const;
    for (const [owner, name] of erased) {
      await directory.rename(owner, name, anEntry());
      for (const attempt of [
        () => directory.rename(owner, 'Other', anEntry()),
        () => directory.suspend(owner, at(), anEntry()),
        () => directory.suspend(owner, null, anEntry()),
      ]) {
        await expect(attempt()).rejects.toMatchObject({ code: 'invalid_parameter' });
      }
    }
    const found = [
      await directory.findCompany(company.id),
      await directory.findInvestor(investor.id),
    ];
    expect(found).toMatchObject(erased.map(([, name]) => ({ name, suspendedAt: null })));
  });

  test('an unknown company or investor can’t be suspended', async () => {
    const { directory } = repositories;
    expect(await directory.suspend({ companyId: freshId('co') }, at(), anEntry())).toBe(false);
    expect(await directory.suspend({ investorId: freshId('inv') }, at(), anEntry())).toBe(false);
  });
});
