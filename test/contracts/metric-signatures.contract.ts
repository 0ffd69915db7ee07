import { verify } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { Company, MetricRevision, PushTransaction, VersionedCompany } from '#core';
import { asOfNow } from '../support/call.ts';
import { createTestSigner, importSigned, type TestSigner } from '../support/test-signer.ts';
import {
  aCompany,
  addCompany,
  aMetric,
  at,
  companyRecord,
  decimal,
  importAll,
  linesOf,
  metricRecord,
  must,
} from './builders.ts';
import { contract } from './contract.ts';

function carriedBy(metric: MetricRevision | undefined, { kid, publicKey }: TestSigner): unknown {
  if (!metric?.verification.signed) throw new Error('it is not signed');
  const [header = '', payload = '', signature = ''] = metric.verification.signature.split('.');
  const read = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString());
  expect(read(header)).toEqual({ alg: 'EdDSA', kid, typ: 'metric+jws' });
  const signed = Buffer.from(`${header}.${payload}`);
  expect(verify(null, signed, publicKey, Buffer.from(signature, 'base64url'))).toBe(true);
  return read(payload);
}

const isSigned = ({ verification }: MetricRevision) => verification.signed;

export const metricSignaturesContract = contract('metric signatures', (repositories) => {
  const latest = async (company: VersionedCompany) =>
    (await repositories.companyData.latestMetrics(company))[0];
  const revisionsOf = (company: VersionedCompany) =>
    repositories.companyData.metricRevisions(company, 'cash_balance');

  const valuesOf = (company: Pick<Company, 'id'>, ...amounts: string[]) =>
    amounts.map((amount) => metricRecord(aMetric(company, { rawValue: decimal(amount) })));
  const twoSigners = async () =>
    [await createTestSigner(repositories), await createTestSigner(repositories)] as const;

  test('a value is stored with a signature that covers every digit and every character', async () => {
    const signer = await createTestSigner(repositories);
    const company = aCompany({ environment: 'test' });
    const metric = aMetric(company, {
      rawValue: decimal('-1234567890123456789012345.123456789012'),
      currency: null,
      source: { system: 'Größe “高” 🏦 <\\n>', method: 'api', lastSynced: at(123) },
      asOf: at(45),
    });
    const imported = await importSigned(
      repositories,
      [metricRecord(metric), companyRecord(company)],
      signer,
    );
    expect(imported).toMatchObject({ inserted: 2, signed: 1, unsigned: 0 });
    const place = asOfNow(company.id, 'test');
    const stored = await latest(place);
    expect(carriedBy(stored, signer)).toEqual({
      v: 1,
      environment: 'test',
      company_id: company.id,
      key: 'cash_balance',
      period: '2026-10-31',
      raw_value: '-1234567890123456789012345.123456789012',
      currency: null,
      as_of: '2026-11-01T12:00:00.045Z',
      source: {
        system: 'Größe “高” 🏦 <\\n>',
        method: 'api',
        last_synced: '2026-11-01T12:00:00.123Z',
      },
      revision: 1,
      signed_at: '2026-11-01T12:00:09.000Z',
    });
    expect(stored?.verification).toMatchObject({
      verified: true,
      signed: true,
      signedAt: at(9_000),
      revision: 1,
      publicKeyUrl: place.publicKeyUrl,
    });
    expect(await repositories.companyData.metricHistory(place, metric.key)).toHaveLength(1);
  });

  test('a changed value becomes the next revision, and the previous revision keeps its signature', async () => {
    const [first, second] = await twoSigners();
    const company = await addCompany(repositories);
    const place = asOfNow(company.id);
    await importSigned(repositories, valuesOf(company, '1'), first);
    const before = must((await latest(place)) ?? null);
    await importSigned(repositories, valuesOf(company, '2'), second);
    await importAll(repositories, valuesOf(company, '3'));
    const revisions = await revisionsOf(place);
    expect(revisions.map(({ revision, rawValue }) => [revision, rawValue])).toEqual([
      [1, '1'],
      [2, '2'],
      [3, '3'],
    ]);
    expect(revisions.map(isSigned)).toEqual([true, true, false]);
    expect(revisions[0]?.verification).toMatchObject({
      signature: before.verification.signed && before.verification.signature,
    });
    expect(carriedBy(revisions[1], second)).toMatchObject({ revision: 2, raw_value: '2' });
    expect(await latest(place)).toEqual(revisions[2]);
    const history = await repositories.companyData.metricHistory(place, 'cash_balance');
    expect(history).toEqual(revisions.slice(2));
  });

  test('an unchanged value keeps its revision and signature', async () => {
    const [first, second] = await twoSigners();
    const company = await addCompany(repositories);
    const place = asOfNow(company.id);
    const records = [metricRecord(aMetric(company))];
    await importSigned(repositories, records, first);
    const imported = await importSigned(repositories, records, second);
    expect(imported).toMatchObject({ unchanged: 1, signed: 0, unsigned: 0 });
    carriedBy(await latest(place), first);
    expect(await revisionsOf(place)).toHaveLength(1);
  });

  test('revisions can be read for a range of periods', async () => {
    const company = await addCompany(repositories);
    const values = ['1', '2'].flatMap((text) =>
      ['2026-08-31', '2026-09-30', '2026-10-31'].map((period) =>
        metricRecord(aMetric(company, { period, rawValue: decimal(text) })),
      ),
    );
    await importAll(repositories, values.slice(0, 3));
    await importAll(repositories, values.slice(3));
    const bounds = { from: '2026-09-01', to: '2026-09-30' };
    const { companyData } = repositories;
    const within = await companyData.metricRevisions(asOfNow(company.id), 'cash_balance', bounds);
    expect(within.map(({ period, revision }) => [period, revision])).toEqual([
      ['2026-09-30', 1],
      ['2026-09-30', 2],
    ]);
    expect(await revisionsOf(asOfNow(company.id))).toHaveLength(6);
  });

  test('a push is rolled back if its signing key was retired', async () => {
    const signer = await createTestSigner(repositories);
    const company = await addCompany(repositories);
    await repositories.signingKeys.retire(signer.kid, at());
    const push = { companyId: company.id, credential: null, startedAt: at() };
    const apply = (inside: PushTransaction) =>
      inside.apply(linesOf(valuesOf(company, '1')), { signing: signer });
    expect(await repositories.imports.transact(push, apply)).toBeNull();
    expect(await latest(asOfNow(company.id))).toBeUndefined();
  });

  test('a signing key can’t be retired while a current or replaced value is signed with the key', async () => {
    const [first, second] = await twoSigners();
    const company = await addCompany(repositories);
    await importSigned(repositories, valuesOf(company, '1'), first);
    expect(await repositories.signingKeys.retire(first.kid, at())).toBe('in_use');
    await importSigned(repositories, valuesOf(company, '2'), second);
    expect(await repositories.signingKeys.retire(first.kid, at())).toBe('in_use');
  });

  describe('a value that was stored without a signature', () => {
    async function listUnsigned(companyId: string) {
      const values = await Array.fromAsync(repositories.metricSignatures.listUnsigned());
      return values.flat().filter(({ claims }) => claims.companyId === companyId);
    }

    async function importTwice(company: { readonly id: string }) {
      await importAll(repositories, valuesOf(company, '1'));
      await importAll(repositories, valuesOf(company, '2'));
    }

    test('can be signed later, like its earlier revisions, and the signature changes the data version', async () => {
      const signer = await createTestSigner(repositories);
      const company = await addCompany(repositories, { environment: 'test' });
      await importTwice(company);
      const values = await listUnsigned(company.id);
      expect(values).toHaveLength(2);
      const signatures = values.map(({ id, claims }) => ({ id, ...signer.sign(claims) }));
      const before = await repositories.companyData.version(company.id);
      expect(await repositories.metricSignatures.storeSignatures(signatures)).toBe(2);
      const version = await repositories.companyData.version(company.id);
      expect(version).not.toBe(before);
      const revisions = await revisionsOf(asOfNow(company.id, 'test'));
      expect(revisions.map((metric) => carriedBy(metric, signer))).toMatchObject([
        { revision: 1, raw_value: '1', environment: 'test' },
        { revision: 2, raw_value: '2' },
      ]);
      expect(await listUnsigned(company.id)).toEqual([]);
      expect(await repositories.metricSignatures.storeSignatures(signatures)).toBe(0);
      expect(await repositories.companyData.version(company.id)).toBe(version);
    });

    test('isn’t signed if a new value has replaced it in the meantime, but can be found as a replaced value', async () => {
      const signer = await createTestSigner(repositories);
      const company = await addCompany(repositories);
      await importAll(repositories, valuesOf(company, '1'));
      const values = await listUnsigned(company.id);
      await importAll(repositories, valuesOf(company, '2'));
      const { metricSignatures } = repositories;
      const signAll = (all: typeof values) =>
        metricSignatures.storeSignatures(
          all.map(({ id, claims }) => ({ id, ...signer.sign(claims) })),
        );
      await signAll(values);
      expect((await latest(asOfNow(company.id)))?.verification.signed).toBe(false);
      expect(await signAll(await listUnsigned(company.id))).toBeGreaterThan(0);
      const revisions = await revisionsOf(asOfNow(company.id));
      expect(revisions.map((metric) => carriedBy(metric, signer))).toMatchObject([
        { revision: 1, raw_value: '1' },
        { revision: 2, raw_value: '2' },
      ]);
    });
  });
});
