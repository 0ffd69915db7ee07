import type {
  ConsentTrail,
  Consistency,
  FeedState,
  OwnedSettings,
  Owner,
  StoredRevision,
  WhichConsents,
} from '#core';
import { type Store, sql } from '../connections/store.ts';
import { toEvent } from './access-events.ts';
import {
  type FeedRow,
  type OwnerKind,
  statements,
  type ValueRow,
} from './consistency-statements.ts';
import { toClaims } from './proof/metric-claims.ts';
import { toReceipt } from './proof/receipt-rows.ts';
import { pagesOf } from './rows.ts';

/** A small number, because the rules check a complete page without yielding to the event loop. */
const requestsAtOnce = 50;
const companiesAtOnce = 500;
const ownersAtOnce = 200;
const valuesAtOnce = 1_000;

/** The rules of the check are in core/model/consistency. */
export function createConsistency(store: Store): Consistency {
  return {
    walkConsents: (which) =>
      pagesOf(requestsAtOnce, (last: ConsentTrail | null) =>
        store.snapshot((inside) => readTrails(inside, which, last?.request.id ?? '')),
      ),

    listSuspectConsents: async () => idsOf(await store.run(statements.suspects)),

    listStrayReceipts: async () => idsOf(await store.run(statements.strays)),

    async readFeed(since) {
      const [row] = await store.run(statements.feed(since));
      return toFeedState(row as FeedRow);
    },

    async *listOutdatedVersions() {
      const read = (last: { id: string; isOutdated: boolean } | null) =>
        store.run(statements.versions(last?.id ?? '', companiesAtOnce));
      for await (const companies of pagesOf(companiesAtOnce, read)) {
        yield idsOf(companies.filter(({ isOutdated }) => isOutdated));
      }
    },

    async *walkValues() {
      const first = { seriesId: '0', period: '-infinity' };
      const read = async (last: ValueRow[] | null) => {
        const rows = await store.run(statements.values(last?.[0] ?? first, valuesAtOnce));
        return [...Map.groupBy(rows, (row) => `${row.seriesId} ${row.period}`).values()];
      };
      for await (const values of pagesOf(valuesAtOnce, read)) {
        yield values.map((revisions) => revisions.map(toRevision));
      }
    },

    listOutdatedNames: async () => idsOf(await store.run(statements.names)),

    async *walkSettings() {
      for (const kind of ['company', 'investor'] as const) {
        const read = (last: OwnedSettings | null) =>
          store.snapshot((inside) => readSettings(inside, kind, last && idOf(last.owner)));
        yield* pagesOf(ownersAtOnce, read);
      }
    },
  };
}

const idsOf = (rows: readonly { readonly id: string }[]) => rows.map(({ id }) => id);

async function readTrails(
  inside: Store,
  which: WhichConsents,
  after: string,
): Promise<ConsentTrail[]> {
  const isChosen = {
    all: sql<boolean>`true`,
    live: sql<boolean>`status in ('pending', 'approved')`,
    these: sql<boolean>`id = any(${which}::text[])`,
  }[typeof which === 'string' ? which : 'these'];
  const chosen = inside.build.selectFrom('access_request').selectAll().where(isChosen);
  const requests = await inside.run(
    chosen.where('id', '>', after).orderBy('id').limit(requestsAtOnce),
  );
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

const idOf = (owner: Owner) => ('companyId' in owner ? owner.companyId : owner.investorId);

async function readSettings(
  inside: Store,
  kind: OwnerKind,
  after: string | null,
): Promise<OwnedSettings[]> {
  const ids = idsOf(
    await inside.run(sql<{ id: string }>`
      select id from ${sql.table(kind)} where id > ${after ?? ''} order by id limit ${ownersAtOnce}`),
  );
  const settings = Map.groupBy(
    await inside.run(statements.settings(kind, ids)),
    ({ ownerId }) => ownerId,
  );
  const log = Map.groupBy(await inside.run(statements.log(kind, ids)), ({ ownerId }) => ownerId);
  return ids.map((id) => {
    const owner = kind === 'company' ? { companyId: id } : { investorId: id };
    return { owner, settings: settings.get(id) ?? [], log: log.get(id) ?? [] };
  });
}
