import type {
  ConsentTrail,
  Consistency,
  FeedState,
  OwnedSettings,
  StoredRevision,
  WhichConsents,
} from '#core';
import { columnsOf, type Row, type Store, sql } from '../connections/store.ts';
import { AccessRequestEntity } from '../entities/consent.ts';
import { toEvent } from './access-events.ts';
import {
  type FeedRow,
  type OwnerKind,
  statements,
  type ValueRow,
} from './consistency-statements.ts';
import { toClaims } from './proof/metric-claims.ts';
import { toReceipt } from './proof/receipt-rows.ts';

/** Few, because the rules check a page without a break. */
const requestsAtOnce = 50;
const companiesAtOnce = 500;
const ownersAtOnce = 200;
const valuesAtOnce = 1_000;

/** Reads the facts that must agree. The rules are in core/model/consistency. */
export function createConsistency(store: Store): Consistency {
  return {
    walkConsents: (which) =>
      pages(
        requestsAtOnce,
        (after) => store.snapshot((inside) => readTrails(inside, which, after)),
        ({ request }) => request.id,
      ),

    listSuspectConsents: async () => idsOf(await store.run(statements.suspects)),

    listStrayReceipts: async () => idsOf(await store.run(statements.strays)),

    async readFeed(since) {
      const row = await store.first(statements.feed(since));
      if (row === null) throw new Error('the feed has a row');
      return toFeedState(row);
    },

    async *listOutdatedVersions() {
      const read = (after: string) => store.run(statements.versions(after, companiesAtOnce));
      for await (const companies of pages(companiesAtOnce, read, ({ id }) => id)) {
        yield idsOf(companies.filter(({ isOutdated }) => isOutdated));
      }
    },

    async *walkValues() {
      let after: Pick<ValueRow, 'seriesId' | 'period'> | undefined = {
        seriesId: '0',
        period: '-infinity',
      };
      while (after !== undefined) {
        const rows: ValueRow[] = await store.run(statements.values(after, valuesAtOnce));
        const values = Map.groupBy(rows, ({ seriesId, period }) => `${seriesId} ${period}`);
        yield [...values.values()].map((revisions) => revisions.map(toRevision));
        after = values.size < valuesAtOnce ? undefined : rows.at(-1);
      }
    },

    listOutdatedNames: async () => idsOf(await store.run(statements.names)),

    async *walkSettings() {
      for (const kind of ['company', 'investor'] as const) {
        const read = (after: string) =>
          store.snapshot((inside) => readSettings(inside, kind, after));
        for await (const owners of pages(ownersAtOnce, read, ({ id }) => id)) {
          yield owners.map(({ owned }) => owned);
        }
      }
    },
  };
}

const idsOf = (rows: readonly { readonly id: string }[]) => rows.map(({ id }) => id);

/** Reads pages in the order of text IDs. */
async function* pages<Item>(
  size: number,
  read: (after: string) => Promise<readonly Item[]>,
  idOf: (item: Item) => string,
): AsyncGenerator<readonly Item[]> {
  let after: string | undefined = '';
  while (after !== undefined) {
    const page: readonly Item[] = await read(after);
    yield page;
    const last = page.length < size ? undefined : page.at(-1);
    after = last && idOf(last);
  }
}

type RequestRow = Row<'access_request'>;

async function readTrails(
  inside: Store,
  which: WhichConsents,
  after: string,
): Promise<ConsentTrail[]> {
  const isChosen = {
    all: sql`true`,
    live: sql`status in ('pending', 'approved')`,
    these: sql`id = any(${which}::text[])`,
  }[typeof which === 'string' ? which : 'these'];
  const requests = await inside.run(sql<RequestRow>`
    select ${columnsOf(AccessRequestEntity, 'access_request')} from access_request
    where id > ${after} and ${isChosen} order by id limit ${requestsAtOnce}`);
  const rows = await inside.run(statements.trails(idsOf(requests)));
  const trails = Map.groupBy(rows, ({ requestId }) => requestId);
  return requests.map((request) => {
    const trail = trails.get(request.id) ?? [];
    return {
      request,
      events: trail.map((row) => {
        const { investorId, companyId } = row;
        return { ...toEvent(row), investorId, companyId };
      }),
      receipts: trail.flatMap((row) => {
        const { id: eventId, receiptRequestId: accessRequestId, receiptCompanyId } = row;
        const receipt = toReceipt(row);
        return receipt
          ? [{ ...receipt, eventId, accessRequestId, companyId: receiptCompanyId }]
          : [];
      }),
    };
  });
}

const toFeedState = ({ lastPosition, highestPosition, runs, consumers }: FeedRow): FeedState => ({
  lastPosition: BigInt(lastPosition),
  highestPosition: BigInt(highestPosition),
  runs: runs.map(({ first, last }) => ({ first: BigInt(first), last: BigInt(last) })),
  consumers: consumers.map(({ name, position }) => ({ name, position: BigInt(position) })),
});

function toRevision(row: ValueRow): StoredRevision {
  const { isNewest, kid, signedAt, signature } = row;
  const isSigned = kid !== null && signedAt !== null && signature !== null;
  return {
    claims: toClaims(row),
    isNewest,
    signature: isSigned ? { kid, signedAt, bytes: new Uint8Array(signature) } : null,
  };
}

interface OwnedPage {
  readonly id: string;
  readonly owned: OwnedSettings;
}

async function readSettings(inside: Store, kind: OwnerKind, after: string): Promise<OwnedPage[]> {
  const ids = idsOf(
    await inside.run(sql<{ id: string }>`
      select id from ${sql.table(kind)} where id > ${after} order by id limit ${ownersAtOnce}`),
  );
  const settings = Map.groupBy(
    await inside.run(statements.settings(kind, ids)),
    ({ ownerId }) => ownerId,
  );
  const log = Map.groupBy(await inside.run(statements.log(kind, ids)), ({ ownerId }) => ownerId);
  return ids.map((id) => {
    const owner = kind === 'company' ? { companyId: id } : { investorId: id };
    return { id, owned: { owner, settings: settings.get(id) ?? [], log: log.get(id) ?? [] } };
  });
}
