import { describe, expect, test } from 'vitest';
import {
  type AccessFactsReader,
  type ImportRecord,
  type Investor,
  scopes,
  type VersionedAccessFacts,
} from '#core';
import {
  accountRecord,
  addCompany,
  addInvestor,
  addPair,
  addRequests,
  aMetric,
  anAccessRequest,
  anAccount,
  anApiKey,
  anEntry,
  approved,
  aSource,
  at,
  declined,
  freshDigest,
  freshId,
  importAll,
  keyChanges,
  metricRecord,
  sourceRecord,
} from './builders.ts';
import { contract } from './contract.ts';

interface Question {
  readonly keyId: string;
  readonly digest: string;
  readonly companyId: string;
}

const ways: Readonly<
  Record<string, (port: AccessFactsReader, question: Question) => Promise<VersionedAccessFacts>>
> = {
  'of a key': (port, question) => port.read(question),
  async 'of a key, which are read together with the key’s authentication'(port, question) {
    const found = await port.authenticate({ ...question, now: at() });
    if (!found?.facts) throw new Error('the key is not known');
    expect(found.key).toMatchObject({ id: question.keyId, ...found.facts.key });
    return found.facts;
  },
};

export const accessFactsReaderContract = contract('accessFacts', (repositories) => {
  test('an API key that doesn’t exist has no access facts', async () => {
    const { company } = await addPair(repositories);
    const question = { keyId: freshId('key'), companyId: company.id };
    expect(await repositories.accessFacts.read(question)).toEqual({
      key: null,
      isInPortfolio: false,
      newestRequest: null,
      dataVersion: '0',
    });
    const credential = { digest: freshDigest(), companyId: company.id, now: at() };
    expect(await repositories.accessFacts.authenticate(credential)).toBeNull();
  });

  test('authentication returns the owner, the environment, the scopes and the limits of the API key', async () => {
    const investor = await addInvestor(repositories, { environment: 'test' });
    const { key, digest } = anApiKey(investor, {
      scopes: [...scopes].toReversed(),
      rateLimit: 42,
      expiresAt: at(987),
    });
    await keyChanges(repositories.apiKeys).add({ key, digest });
    const { id, environment, rateLimit, expiresAt, revokedAt } = key;
    expect(
      await repositories.accessFacts.authenticate({ digest, companyId: null, now: at() }),
    ).toEqual({
      key: {
        id,
        investorId: investor.id,
        environment,
        scopes: key.scopes,
        rateLimit,
        expiresAt,
        revokedAt,
      },
      facts: null,
    });
  });

  test('authentication fails from the moment when the API key expires or is revoked', async () => {
    const { investor, company } = await addPair(repositories);
    const added = [anApiKey(investor, { expiresAt: at(50) }), anApiKey(investor)];
    for (const newKey of added) await keyChanges(repositories.apiKeys).add(newKey);
    await keyChanges(repositories.apiKeys).revoke(added[1]?.key.id ?? '', at(90));
    const isKnown = (now: Date, companyId: string | null) =>
      Promise.all(
        added.map(async ({ digest }) => {
          const asked = { digest, companyId, now };
          return (await repositories.accessFacts.authenticate(asked)) !== null;
        }),
      );
    for (const companyId of [null, company.id]) {
      expect(await isKnown(at(49), companyId)).toEqual([true, false]);
      expect(await isKnown(at(50), companyId)).toEqual([false, false]);
    }
  });

  test('simultaneous authentications each get their own result: the key with or without facts, or null', async () => {
    const pairs = await Promise.all(Array.from({ length: 9 }, () => addPair(repositories)));
    const asked = await Promise.all(
      pairs.map(async ({ investor, company }, index) => {
        const { key, digest } = anApiKey(investor);
        if (index % 3 > 0) await keyChanges(repositories.apiKeys).add({ key, digest });
        return { key, digest, companyId: index % 3 === 1 ? null : company.id };
      }),
    );
    const found = await Promise.all(
      asked.map(({ digest, companyId }) =>
        repositories.accessFacts.authenticate({ digest, companyId, now: at() }),
      ),
    );
    expect(found.map((one) => one && [one.key.id, one.facts?.isInPortfolio ?? null])).toEqual(
      asked.map(({ key }, index) => [null, [key.id, null], [key.id, true]][index % 3]),
    );
  });

  describe.each(Object.entries(ways))('access facts %s', (way, look) => {
    const read = (question: Question) => look(repositories.accessFacts, question);

    async function addKey(investor: Investor) {
      const { key, digest } = anApiKey(investor, { expiresAt: at(99) });
      await keyChanges(repositories.apiKeys).add({ key, digest });
      return { key, digest };
    }

    async function aCaller() {
      const pair = await addPair(repositories);
      const { key, digest } = await addKey(pair.investor);
      return { ...pair, key, question: { keyId: key.id, digest, companyId: pair.company.id } };
    }

    test('contain the API key and the company in the portfolio, even without an access request', async () => {
      const { key, question } = await aCaller();
      expect(await read(question)).toEqual({
        key: { scopes: key.scopes, expiresAt: key.expiresAt, revokedAt: null },
        isInPortfolio: true,
        newestRequest: null,
        dataVersion: '0',
      });
    });

    test('are the same for a company outside the portfolio and for an unknown company', async () => {
      const { question } = await aCaller();
      const outside = await addCompany(repositories);
      const facts = await read({ ...question, companyId: outside.id });
      expect(facts.isInPortfolio).toBe(false);
      expect(facts).toEqual(await read({ ...question, companyId: freshId('co') }));
    });

    test('contain only the newest of several access requests', async () => {
      const { investor, company, question } = await aCaller();
      const pair = { investor, company };
      const first = declined(anAccessRequest(pair, { createdAt: at(1) }));
      const limits = {
        approvedTerms: { use: 'once', metricKeys: ['arr'], historyFrom: '2026-01-31' },
        ...{ pausedAt: at(4), firstReadAt: at(5) },
      } as const;
      const newest = { ...approved(anAccessRequest(pair, { createdAt: at(3) })), ...limits };
      const second = declined(anAccessRequest(pair, { createdAt: at(2) }));
      await addRequests(repositories, first, newest, second);
      const { id, status, approvedScopes, pendingScopes, deadlineAt } = newest;
      const facts = await read(question);
      expect(facts.newestRequest).toEqual({
        id,
        status,
        approvedScopes,
        pendingScopes,
        deadlineAt,
        declinedAt: null,
        ...limits,
      });
    });

    test('contain the time of a decline, both of a request and of an addition to a grant', async () => {
      const { investor, company, question } = await aCaller();
      const pair = { investor, company };
      const ended = declined(anAccessRequest(pair, { createdAt: at(1) }));
      await addRequests(repositories, ended);
      expect((await read(question)).newestRequest?.declinedAt).toEqual(ended.decidedAt);
      const grant = { ...approved(anAccessRequest(pair, { createdAt: at(2) })) };
      await addRequests(repositories, { ...grant, additionDeclined: true });
      expect((await read(question)).newestRequest?.declinedAt).toEqual(grant.decidedAt);
    });

    test('are right in simultaneous reads: each investor gets the facts about its own access', async () => {
      const callers = await Promise.all(Array.from({ length: 20 }, aCaller));
      const requests = callers.map((pair, index) =>
        index % 2 === 0 ? approved(anAccessRequest(pair)) : anAccessRequest(pair),
      );
      await addRequests(repositories, ...requests);
      const own = callers.map(({ question }) => question);
      const foreign = own.map((question, index) => ({
        ...question,
        companyId: own[(index + 1) % own.length]?.companyId ?? '',
      }));
      const unknown = { keyId: freshId('key'), digest: freshDigest(), companyId: freshId('co') };
      const [nobody, others, ...rest] = await Promise.all([
        read(unknown).catch((error: Error) => {
          expect(error.message).toBe('the key is not known');
          return null;
        }),
        Promise.all(foreign.map(read)),
        ...[...own, ...own].map(read),
      ]);
      expect(nobody?.key ?? null).toBeNull();
      for (const facts of others) {
        expect(facts).toMatchObject({ isInPortfolio: false, newestRequest: null });
      }
      const ids = requests.map(({ id }) => id);
      expect(rest.map((facts) => facts.newestRequest?.id)).toEqual([...ids, ...ids]);
    });

    test('are read even if another read of the same batch has an invalid company id', async () => {
      const { question } = await aCaller();
      const odd = ['co_a,co_b', '"', '\\', '{}', '', 'co_\n'];
      const answers = await Promise.all(
        [question, ...odd.map((companyId) => ({ ...question, companyId }))].map(read),
      );
      expect(answers.map(({ isInPortfolio }) => isInPortfolio)).toEqual([
        true,
        ...odd.map(() => false),
      ]);
    });

    test('contain a version of the company’s data that changes only if readable data changes', async () => {
      const { company, question } = await aCaller();
      const other = await aCaller();
      const metric = aMetric(company);
      const imports: ImportRecord[] = [
        metricRecord(metric),
        metricRecord({ ...metric, value: 'another' }),
        metricRecord({ ...metric, period: '2026-11-30', label: 'Another label' }),
        sourceRecord(aSource(company)),
        sourceRecord(aSource(company, { status: 'error' })),
        accountRecord(anAccount(company)),
      ];
      const versions = new Set([(await read(question)).dataVersion]);
      for (const record of imports) {
        await importAll(repositories, [record]);
        versions.add((await read(question)).dataVersion);
      }
      expect(versions.size).toBe(1 + imports.length);
      await importAll(repositories, imports.slice(-1));
      versions.add((await read(question)).dataVersion);
      expect(versions.size).toBe(1 + imports.length);
      expect((await read(other.question)).dataVersion).toBe('0');
    });

    test('contain the same data version for all simultaneous callers', async () => {
      const callers = [await aCaller(), await aCaller(), await aCaller()];
      const [first] = callers;
      if (first === undefined) throw new Error('there is no caller');
      await importAll(repositories, [metricRecord(aMetric(first.company))]);
      const versions = await Promise.all(
        callers.map(({ company }) => repositories.companyData.version(company.id)),
      );
      const known = await Promise.all(callers.map(({ question }) => read(question)));
      expect(versions).toEqual(known.map(({ dataVersion }) => dataVersion));
      expect(versions.slice(1)).toEqual(['0', '0']);
    });

    test('have the status `revoked` in the first read after a revocation', async () => {
      const { investor, company, question } = await aCaller();
      const request = approved(anAccessRequest({ investor, company }));
      await addRequests(repositories, request);
      expect((await read(question)).newestRequest?.status).toBe('approved');
      await repositories.accessRequests.transact(null, async (transaction) => {
        await transaction.lock(request.id);
        await transaction.save({ ...request, status: 'revoked' });
      });
      expect((await read(question)).newestRequest?.status).toBe('revoked');
    });

    test('show a revoked API key in the next read after the revocation', async () => {
      const { key, question } = await aCaller();
      await keyChanges(repositories.apiKeys).revoke(key.id, at(4));
      const end = await read(question).then(
        (facts) => facts.key?.revokedAt,
        ({ message }: Error) => message,
      );
      expect(end).toEqual(way === 'of a key' ? at(4) : 'the key is not known');
    });

    test('show a removed company outside the portfolio in the next read after the removal', async () => {
      const { investor, company, question } = await aCaller();
      await addRequests(repositories, approved(anAccessRequest({ investor, company })));
      await repositories.directory.removeFromPortfolio(investor.id, company.id, anEntry());
      expect((await read(question)).isInPortfolio).toBe(false);
    });
  });
});
