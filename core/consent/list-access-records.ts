import { z } from 'zod';
import { isCompanyId } from '../company-data/company.ts';
import { findCompany } from '../company-data/manage-companies.ts';
import { type Cursor, type Page, readCursor, toPage, writeCursor } from '../cursor.ts';
import { ensure } from '../errors.ts';
import type { Caller, CompanyCaller } from '../identity/caller.ts';
import { instantInput, pageInput, parseInput, scopeInput } from '../input.ts';
import type { Ports } from '../ports.ts';
import { isPlainText } from '../text.ts';
import { isExpressible } from '../time.ts';
import type { AccessRecord } from './access-record.ts';
import type {
  AccessRecords,
  CompanyRecords,
  NamedRecord,
  ReceivedRecord,
  ReceivedRecords,
} from './ports.ts';

export const maxAccessRecords = 1000;

const listAccessRecordsInput = z.object(
  {
    companyId: z.string('invalid_parameter').nullish(),
    since: z.date('invalid_parameter').refine(isExpressible).nullish(),
    limit: z.int('invalid_parameter').min(1).max(maxAccessRecords),
  },
  'invalid_parameter',
);

/**
 * What the keys of the caller's investor read or were refused, newest first. A key without the scope of a read learns
 * nothing of it: not that it was made, nor which company it was about.
 *
 * @throws InputError
 */
export const listAccessRecords =
  ({ accessRecords }: Ports) =>
  async (
    { investorId, scopes }: Caller,
    input: z.input<typeof listAccessRecordsInput>,
  ): Promise<AccessRecord[]> => {
    const { companyId, since, limit } = parseInput(listAccessRecordsInput, input);
    if (companyId != null && !isCompanyId(companyId)) return [];
    return accessRecords.listOfInvestor({
      investorId,
      scopes,
      companyId: companyId ?? undefined,
      since: since ?? undefined,
      limit,
    });
  };

export const listReceivedRecordsInput = pageInput.extend({
  investorId: z
    .string('invalid_parameter')
    .nullish()
    .meta({ description: 'Only reads of this investor.' }),
  scope: scopeInput.nullish().meta({ description: 'Only reads that needed this scope.' }),
  since: instantInput.nullish(),
  until: instantInput.nullish(),
});

/**
 * A page of who read the data of the caller's company or tried to, newest first. Whatever is recorded meanwhile, the
 * pages of one walk neither skip nor repeat a record that was there when it began.
 *
 * @throws InputError
 */
export const listReceivedRecords =
  ({ accessRecords }: Ports) =>
  async (
    { companyId, environment }: CompanyCaller,
    input: z.input<typeof listReceivedRecordsInput> = {},
  ): Promise<Page<ReceivedRecord>> => {
    const { limit, cursor, ...rest } = parseInput(listReceivedRecordsInput, input);
    const { investorId, scope, since, until } = rest;
    if (investorId != null && !isPlainText(investorId)) return { items: [], nextCursor: null };
    const filter = {
      companyId,
      environment,
      investorId: investorId ?? undefined,
      scope: scope ?? undefined,
      since: since ?? undefined,
      until: until ?? undefined,
      before: readCursor(cursor),
      downTo: null,
      limit: limit + 1,
    };
    const isNarrowed = filter.investorId !== undefined || filter.scope !== undefined;
    const { found, stoppedAt } = isNarrowed
      ? await findScattered(accessRecords, filter)
      : { found: await accessRecords.listReceived(filter), stoppedAt: null };
    const page = toPage(found, limit, ({ occurredAt, id }) => ({ instant: occurredAt, id }));
    return stoppedAt === null ? page : { ...page, nextCursor: writeCursor(stoppedAt) };
  };

/** How many records of a company one statement looks through, and how many statements one page may take. */
const recordsAtOnce = 10_000;
const statementsOfPage = 20;

/**
 * The records of one investor or scope may lie far apart in those of a company, so they are looked for piece by piece: other
 * companies get their turns in between. A page that has taken all its statements ends early, and says where.
 */
async function findScattered(
  accessRecords: Pick<AccessRecords, 'findPlace' | 'listReceived'>,
  filter: ReceivedRecords,
): Promise<{ found: readonly ReceivedRecord[]; stoppedAt: Cursor | null }> {
  const found: ReceivedRecord[] = [];
  let { before } = filter;
  for (let statement = 0; statement < statementsOfPage; statement += 1) {
    const downTo = await accessRecords.findPlace({ ...filter, before }, recordsAtOnce);
    const limit = filter.limit - found.length;
    found.push(...(await accessRecords.listReceived({ ...filter, before, downTo, limit })));
    const isOver =
      downTo === null || found.length === filter.limit || isBefore(downTo, filter.since);
    if (isOver) return { found, stoppedAt: null };
    before = downTo;
  }
  return { found, stoppedAt: before };
}

const isBefore = ({ instant }: Cursor, since: Date | undefined) =>
  since !== undefined && instant < since;

const maxCompanyRecords = 100_000;

/**
 * Who read a company's data or tried to, newest first, and whether there are more than were asked for.
 *
 * @throws OperatorError `invalid`, `not_found`
 */
export const listCompanyAccessRecords =
  (ports: Ports) =>
  async (filter: CompanyRecords): Promise<{ records: NamedRecord[]; hasMore: boolean }> => {
    const { limit } = filter;
    const isPossible = limit >= 1 && limit <= maxCompanyRecords;
    ensure(isPossible, 'invalid', `a list has from 1 to ${maxCompanyRecords} records`);
    await findCompany(ports, filter.companyId);
    const found = await ports.accessRecords.listOfCompany({ ...filter, limit: limit + 1 });
    return { records: found.slice(0, limit), hasMore: found.length > limit };
  };

/**
 * Removes the access records of whole months, all that ended before the instant.
 *
 * @returns the months that are gone, as `YYYY-MM`, oldest first
 * @throws OperatorError `invalid` when the present month would be among them
 */
export const dropAccessRecords =
  ({ accessRecords, clock }: Ports) =>
  async (before: Date): Promise<string[]> => {
    ensure(before <= clock.now(), 'invalid', 'only months that are over can be removed');
    return accessRecords.dropMonthsBefore(before);
  };
