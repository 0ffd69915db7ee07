import type { LastSigning, ValueSignature, ValueToSign } from '#core';
import { type StatementRunner, type Store, sql } from '../../store.ts';
import { type ClaimsRow, claimsColumns, toBase64Array, toClaims } from '../proof/metric-claims.ts';
import { signInTurns } from '../proof/metric-signatures.ts';
import { toArray } from '../rows.ts';
import { changedIn, newNamesIn } from './lines.ts';
import type { ChangedLine, StagedLines } from './staged.ts';

/** How many lines one statement brings. */
const windowSize = 2_000;

/**
 * Which lines would change a value, and to which revision, is found out at once, and kept; then they are brought window
 * by window. No transaction is open while somebody signs them.
 */
export async function* listChangedValues(
  store: Store,
  staged: StagedLines,
): AsyncGenerator<readonly ValueToSign[]> {
  const { importId } = staged;
  const lastLine = await keepChanged(store, staged);
  let next = readAhead(-1);
  for (let after = -1; after < lastLine; after += windowSize) {
    const rows = await next;
    next = readAhead(after + windowSize);
    if (rows.length === 0) continue;
    yield rows.map((row) => ({ id: row.line, claims: toClaims(row) }));
  }

  /** Reads the next window while the present one is signed. */
  function readAhead(after: number): Promise<ChangedRow[]> {
    if (after >= lastLine) return Promise.resolve([]);
    const reading = store.run(changedWithin(importId, after));
    // Its error is handled where it is awaited; nobody may await it.
    reading.catch(() => undefined);
    return reading;
  }
}

/** @returns the last line among them, or -1 */
async function keepChanged(store: Store, staged: StagedLines): Promise<number> {
  const { importId } = staged;
  await store.transact(async (inside) => {
    // The planner cannot tell how many rows there are, and a nested loop over a million of them would never end.
    await inside.run(sql`set local enable_nestloop = off`);
    await inside.run(sql`delete from import_signature where import_id = ${importId}`);
    await inside.run(sql`
      insert into import_signature (import_id, line, environment, revision)
      ${staged.with('import_company', 'import_metric')}, ${changedIn(staged)}
      select ${importId}, line, environment, revision from changed`);
  });
  await store.run(sql`analyze import_signature`);
  const row = await store.first(
    sql<{ line: string | null }>`
      select max(line) as line from import_signature where import_id = ${importId}`,
  );
  return Number(row?.line ?? -1);
}

type ChangedRow = ClaimsRow & { readonly line: string };

/** Both tables are read by the same range of their keys, so that no plan goes through more than that. */
const changedWithin = (importId: string, after: number) => sql<ChangedRow>`
  select change.line, change.environment, change.revision, ${claimsColumns('staged', 'staged')}
  from import_signature as change
  join import_metric as staged using (import_id, line)
  where change.import_id = ${importId} and staged.import_id = ${importId}
    and change.line > ${after} and change.line <= ${after + windowSize}
    and staged.line > ${after} and staged.line <= ${after + windowSize}
  order by change.line`;

export async function keepSignatures(
  store: Store,
  importId: string,
  signatures: readonly ValueSignature[],
): Promise<void> {
  const lines = signatures.map(({ id }) => Number(id));
  await store.run(sql`
    update import_signature as kept
    set signed_at = given.signed_at, signature = decode(given.signature, 'base64'),
      signing_key = given.signing_key
    from unnest(
      ${toArray(lines)}::bigint[],
      ${toArray(signatures.map(({ signedAt }) => signedAt.toISOString()))}::timestamptz[],
      ${toBase64Array(signatures)}::text[],
      ${toArray(signatures.map(({ keyNumber }) => keyNumber))}::smallint[]
    ) as given (line, signed_at, signature, signing_key)
    where kept.import_id = ${importId} and kept.line = given.line
      and kept.line >= ${Math.min(...lines)} and kept.line <= ${Math.max(...lines)}`);
}

/** What a few lines would change, while nobody else may change the values. */
interface FoundChanges {
  readonly rows: readonly ChangedRow[];
  /** Whether a metric is new, or would have another label or category. */
  readonly hasNewNames: boolean;
  /** How many values the lines are about. */
  readonly values: number;
}

/** One row is there even when nothing changes. */
export async function findChanges(
  inside: StatementRunner,
  staged: StagedLines,
): Promise<FoundChanges> {
  const rows = await inside.run(sql<
    Omit<FoundChanges, 'rows'> & (ChangedRow | { readonly line: null })
  >`
    ${staged.with('import_company', 'import_metric')}, ${changedIn(staged)},
    ${newNamesIn('import_metric', staged)}
    select exists (select from names) as "hasNewNames",
      (select count(*)::integer from last) as "values",
      line, environment, revision, ${claimsColumns('changed', 'changed')}
    from (values (true)) as always left join changed on true`);
  const [first] = rows;
  if (first === undefined) throw new Error('a row is always there');
  const { hasNewNames, values } = first;
  return { rows: rows.filter((row) => row.line !== null), hasNewNames, values };
}

/** What was found, each with its signature if there is to be one. */
export async function signChanges(
  rows: readonly ChangedRow[],
  signing: LastSigning | undefined,
): Promise<readonly ChangedLine[]> {
  const signatures = signing && (await signInTurns(rows, signing.sign));
  return rows.map(({ line, environment, revision }, index) => ({
    line: Number(line),
    environment,
    revision,
    signature: signatures?.[index] ?? null,
  }));
}
