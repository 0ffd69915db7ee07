import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, inject } from 'vitest';
import {
  type AccessRecord,
  type ArchiveStep,
  type CompanyCaller,
  companyScopes,
  type Investor,
  type InvestorCaller,
} from '#core';
import { ownerName } from '../../db/archive/owner.ts';
import { type Composition, compose } from '../../gateway/compose.ts';
import { readConfig } from '../../gateway/config.ts';
import { createRateLimiter } from '../../gateway/rate-limit/rate-limiter.ts';
import { aCompany, addInvestor, anAccessRecord, anApiKey, freshId } from '../contracts/builders.ts';
import {
  createMigratedDataDir,
  createMigratedPostgresDatabase,
  whyNoPostgres,
  withClient,
} from '../support/databases.ts';
import { isFull } from '../support/property-runs.ts';

const dayMilliseconds = 86_400_000;

/** A day so many days ago, `YYYY-MM-DD`. */
export const daysAgo = (count: number) =>
  new Date(Date.now() - count * dayMilliseconds).toISOString().slice(0, 10);

export const instantOf = (day: string, milliseconds = 0) =>
  new Date(Date.parse(day) + milliseconds);

/** A database with a folder for what is archived. */
export interface ArchivingDatabase {
  readonly environment: Readonly<Record<string, string>>;
  readonly folder: string;
  /** Of what is embedded: null. */
  readonly url: string | null;
  remove(): Promise<void>;
}

/** What is in the folder of an archive, beside the file that says whose it is. */
export async function listFiles({ folder }: Pick<ArchivingDatabase, 'folder'>): Promise<string[]> {
  return (await readdir(folder)).filter((name) => name !== ownerName).toSorted();
}

async function newArchiveFolder(): Promise<string> {
  return mkdtemp(join(inject('dataFolder'), 'archive-'));
}

async function onPostgres(): Promise<ArchivingDatabase> {
  const folder = await newArchiveFolder();
  const { url, drop } = await createMigratedPostgresDatabase();
  return {
    environment: { DATABASE_URL: url, ARCHIVE_DIR: folder },
    folder,
    url,
    async remove() {
      await drop();
      await rm(folder, { recursive: true });
    },
  };
}

async function onEmbedded(): Promise<ArchivingDatabase> {
  const folder = await newArchiveFolder();
  const dataDir = await createMigratedDataDir();
  return {
    environment: { DATA_DIR: dataDir.path, ARCHIVE_DIR: folder },
    folder,
    url: null,
    async remove() {
      await dataDir.remove();
      await rm(folder, { recursive: true });
    },
  };
}

const missing = await whyNoPostgres();
if (missing !== null) console.error(`SKIPPED: the archive on PostgreSQL: ${missing}`);

/** PostgreSQL where it is; the embedded database where PostgreSQL is not, and where everything is tried. */
export const databases = [
  ...(missing === null ? [{ kind: 'PostgreSQL', create: onPostgres }] : []),
  ...(missing !== null || isFull ? [{ kind: 'the embedded database', create: onEmbedded }] : []),
];

export const postgresOnly = databases.filter(({ kind }) => kind === 'PostgreSQL');

export async function open(
  environment: Readonly<Record<string, string>>,
  onError: (error: unknown) => void = () => undefined,
  role: 'service' | 'command' = 'service',
): Promise<Composition> {
  const config = readConfig(environment);
  return compose(config, {
    role,
    rateLimiter: createRateLimiter({ ...config.rateLimit, redisUrls: null }),
    onError,
  });
}

export interface Parties {
  readonly investor: Investor;
  readonly keyId: string;
  readonly companyId: string;
  /** Its investor, with a key that may read everything. */
  readonly caller: InvestorCaller;
  readonly company: CompanyCaller;
}

export async function addParties({ database: { repositories } }: Composition): Promise<Parties> {
  const investor = await addInvestor(repositories);
  const added = anApiKey(investor);
  await repositories.apiKeys.add(added);
  const company = aCompany();
  await repositories.directory.addCompany(company);
  const shared = { environment: investor.environment, protocol: 'rest' as const };
  return {
    investor,
    keyId: added.key.id,
    companyId: company.id,
    caller: {
      ...shared,
      requestId: freshId('req'),
      keyId: added.key.id,
      contactId: null,
      investorId: investor.id,
      scopes: ['companies:read', 'metrics:read', 'sources:read', 'accounts:read'],
    } as unknown as InvestorCaller,
    company: {
      ...shared,
      requestId: freshId('req'),
      companyId: company.id,
      scopes: companyScopes,
      actor: { type: 'company_key', id: freshId('ck') },
    } as unknown as CompanyCaller,
  };
}

export const aRecord = (
  { investor, keyId, companyId }: Parties,
  overrides: Partial<AccessRecord> = {},
): AccessRecord =>
  anAccessRecord({
    ...{ occurredAt: new Date(), keyId, investorId: investor.id, companyId },
    ...overrides,
  });

/** A database with its archive and somebody who reads, for all tests of a suite. */
export class Archiving {
  place!: ArchivingDatabase;
  composition!: Composition;
  parties!: Parties;

  archive(before: string, onStep?: (day: string, step: ArchiveStep) => unknown) {
    const { archiveAccessRecords } = this.composition.operatorUseCases;
    return archiveAccessRecords({
      before: instantOf(before),
      ...(onStep && { onStep: async (day, step) => void (await onStep(day, step)) }),
    });
  }

  /** Records so many milliseconds after midnight. */
  async add(day: string, milliseconds: readonly number[] = [0], parties = this.parties) {
    const records = milliseconds.map((each) =>
      aRecord(parties, { occurredAt: instantOf(day, each) }),
    );
    await addRecords(this.composition, records);
    return records;
  }

  async listed({ company }: Parties = this.parties) {
    const { listReceivedRecords } = this.composition.companyUseCases;
    return (await listReceivedRecords(company, { limit: 100 })).items;
  }

  /** Those that are not archived, or came late. */
  inDatabase({ companyId }: Parties = this.parties) {
    const { accessRecords } = this.composition.database.repositories;
    return accessRecords.listOfCompany({ companyId, limit: 100 });
  }
}

export function useArchive(
  create: () => Promise<ArchivingDatabase>,
  onError?: (error: unknown) => void,
): Archiving {
  const one = new Archiving();
  beforeAll(async () => {
    one.place = await create();
    one.composition = await open(one.place.environment, onError);
    one.parties = await addParties(one.composition);
  });
  afterAll(async () => {
    await one.composition?.database.close();
    await one.place?.remove();
  });
  return one;
}

/** Written as they are, each in the part of its day. */
export async function addRecords(
  { database }: Composition,
  records: readonly AccessRecord[],
): Promise<void> {
  const { accessRecords } = database.repositories;
  for (const record of records.filter(({ outcome }) => outcome !== 'allowed')) {
    accessRecords.recordEventually(record);
  }
  await Promise.all(
    records
      .filter(({ outcome }) => outcome === 'allowed')
      .map((each) => accessRecords.record(each)),
  );
  while (database.load().refusalsWaiting > 0) await new Promise((done) => setImmediate(done));
  await database.createPartitionsAhead(new Date());
}

export const withDatabase = (url: string, text: string) =>
  withClient(url, async (client) => (await client.query(text)).rows);
