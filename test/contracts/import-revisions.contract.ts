import { generateKeyPairSync, hash, sign } from 'node:crypto';
import { expect, test } from 'vitest';
import {
  type Company,
  type ImportRecord,
  type Metric,
  type SignedRevision,
  signMetric,
} from '#core';
import { asOfNow } from '../support/call.ts';
import {
  aCompany,
  addCompany,
  aMetric,
  at,
  companyRecord,
  decimal,
  importAll,
  metricRecord,
} from './builders.ts';
import { contract } from './contract.ts';

export const importedRevisionsContract = contract('imported revisions', (repositories) => {
  /** The signing key of another service. It isn't registered in this service. */
  function createIdentity() {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519');
    const { x = '' } = publicKey.export({ format: 'jwk' });
    const kid = hash('sha256', JSON.stringify({ crv: 'Ed25519', kty: 'OKP', x }), 'base64url');
    return {
      keyNumber: 0,
      kid,
      x,
      sign: (text: string) => sign(null, Buffer.from(text), privateKey),
    };
  }

  type Identity = ReturnType<typeof createIdentity>;

  const aValue = (company: Pick<Company, 'id'>, change: Partial<Metric> = {}) => {
    const { revision: _revision, ...metric } = aMetric(company);
    const { revision: _other, verification: _verification, ...changed } = change;
    return { ...metric, ...changed };
  };

  /** A revision from an export, signed or unsigned. */
  function revised(
    company: Company,
    revision: number,
    amount: string,
    identity: Identity | null = null,
    change: Partial<Metric> = {},
  ): ImportRecord & SignedRevision {
    const metric = aValue(company, { rawValue: decimal(amount), ...change });
    const { environment } = company;
    const signed = identity && {
      environment,
      key: { kid: identity.kid, x: identity.x },
      ...signMetric(identity, { ...metric, environment, revision }, at(9_000)),
    };
    return { type: 'revision', metric, revision, signed };
  }

  const told = async ({ id, environment }: Company) => {
    const company = { ...asOfNow(id), environment };
    const all = await repositories.companyData.metricRevisions(company, 'cash_balance');
    return all.map(({ revision, rawValue }) => `${revision}: ${rawValue}`);
  };

  const nothing = { inserted: 0, updated: 0, unchanged: 0, signed: 0, unsigned: 0 };

  test('are stored with their numbers and signatures, in any order of the import', async () => {
    const company = aCompany();
    const identity = createIdentity();
    const revisions = ['1', '2', '3'].map((amount, index) =>
      revised(company, index + 1, amount, identity),
    );
    const imported = await importAll(repositories, [
      ...revisions.toReversed(),
      companyRecord(company),
    ]);
    expect(imported).toEqual({ ...nothing, inserted: 2, updated: 2, signed: 3 });
    expect(await told(company)).toEqual(['1: 1', '2: 2', '3: 3']);
    const at0 = { ...asOfNow(company.id), environment: company.environment };
    const stored = await repositories.companyData.metricRevisions(at0, 'cash_balance');
    for (const [index, { verification }] of stored.entries()) {
      const { signed } = revisions[index] ?? {};
      if (!verification.signed || !signed) throw new Error('it is signed');
      const signature = Buffer.from(verification.signature.split('.')[2] ?? '', 'base64url');
      expect(signature.equals(Buffer.from(signed.signature))).toBe(true);
      expect(verification.signedAt).toEqual(signed.signedAt);
    }
  });

  test('change nothing if they are imported twice, and later revisions can follow', async () => {
    const company = await addCompany(repositories);
    const identity = createIdentity();
    const first = [revised(company, 1, '1', identity), revised(company, 2, '2')];
    expect(await importAll(repositories, first)).toMatchObject({
      inserted: 1,
      updated: 1,
      signed: 1,
      unsigned: 1,
    });
    expect(await importAll(repositories, first)).toEqual({
      ...nothing,
      unchanged: 2,
    });
    const more = await importAll(repositories, [...first, revised(company, 3, '3', identity)]);
    expect(more).toEqual({ ...nothing, updated: 1, unchanged: 2, signed: 1 });
    expect(await told(company)).toEqual(['1: 1', '2: 2', '3: 3']);
  });

  test('can be followed by a value without a number, which becomes the next revision', async () => {
    const company = await addCompany(repositories);
    await importAll(repositories, [revised(company, 1, '1'), revised(company, 2, '2')]);
    await importAll(repositories, [metricRecord(aMetric(company, { rawValue: decimal('7') }))]);
    expect(await told(company)).toEqual(['1: 1', '2: 2', '3: 7']);
  });

  test('give the metric the label of the last imported line', async () => {
    const company = await addCompany(repositories);
    const records = [revised(company, 1, '1'), revised(company, 2, '2', null, { label: 'Money' })];
    await importAll(repositories, records);
    const [metric] = await repositories.companyData.latestMetrics(asOfNow(company.id));
    expect(metric?.label).toBe('Money');
  });

  test('can be found by number with their signatures, even after newer revisions', async () => {
    const company = await addCompany(repositories);
    const other = await addCompany(repositories);
    const [first, second] = [revised(company, 1, '1', createIdentity()), revised(company, 2, '2')];
    await importAll(repositories, [first, second]);
    const push = { companyId: company.id, credential: null, startedAt: at() };
    const place = { key: 'cash_balance', period: '2026-10-31' };
    const found = await repositories.imports.transact(push, (inside) =>
      inside.findRevisions([1, 2, 3].map((revision) => ({ ...place, revision }))),
    );
    const byNumber = found.toSorted((one, two) => one.metric.revision - two.metric.revision);
    const facts = byNumber.map(({ metric, signature }) => [metric.rawValue, signature?.toHex()]);
    expect(facts).toEqual([
      ['1', first.signed?.signature.toHex()],
      ['2', undefined],
    ]);
    const ofOther = await repositories.imports.transact(
      { ...push, companyId: other.id },
      (inside) => inside.findRevisions([{ ...place, revision: 1 }]),
    );
    expect(ofOther).toEqual([]);
  });

  const keyOf = async ({ kid }: Identity) =>
    (await repositories.signingKeys.list()).find((key) => key.kid === kid);

  test('register the other service’s signing key, but this service never signs with it', async () => {
    const company = await addCompany(repositories);
    const identity = createIdentity();
    const { kid, x } = identity;
    const records = [revised(company, 1, '1', identity)];
    expect(await importAll(repositories, records, at(2))).toMatchObject({ inserted: 1, signed: 1 });
    const registered = { kid, x, createdAt: at(2), retiredAt: null };
    expect(await keyOf(identity)).toMatchObject({ ...registered, isImported: true });
    expect(await repositories.signingKeys.retire(kid, at())).toBe('in_use');
    const own = await repositories.signingKeys.register({ kid, x }, at(3));
    expect(own).toMatchObject({ ...registered, isImported: false });
    expect(await keyOf(identity)).toEqual(own);
  });

  test('are refused if their signing key is retired during the import', async () => {
    const company = await addCompany(repositories);
    const identity = createIdentity();
    const { kid, x } = identity;
    await repositories.signingKeys.register({ kid, x }, at());
    await repositories.signingKeys.retire(kid, at());
    const importing = importAll(repositories, [revised(company, 1, '1', identity)]);
    await expect(importing).rejects.toThrow(`${kid} has been retired meanwhile`);
    expect(await told(company)).toEqual([]);
  });
});
