import type { RecordProblem } from '../../model/company-data/import-line.ts';
import type { ImportRecord, VoidRecord } from '../../model/company-data/import-record.ts';
import type {
  ImportedRevision,
  MetricRevision,
  MetricVoid,
} from '../../model/company-data/metric.ts';
import type { ImportLine, PushTransaction } from '../../ports/company-data.ts';

/** A line with verified signatures. If its record is a void, `resolveVoids` hasn't replaced it with a revision yet. */
export interface CheckedLine extends Pick<ImportLine, 'line'> {
  readonly record: ImportRecord | VoidRecord;
}

interface Resolved {
  readonly lines: readonly ImportLine[];
  readonly voided: number;
  readonly problems: readonly (RecordProblem & Pick<ImportLine, 'line'>)[];
}

type VoidLine = CheckedLine & { readonly record: VoidRecord };

const isVoidLine = (line: CheckedLine): line is VoidLine => line.record.type === 'void';

const nameOf = ({ companyId, key, period }: Omit<MetricVoid, 'reason'>) =>
  JSON.stringify([companyId, key, period]);

/**
 * Replaces each void with a new revision of the stored value. A void can't refer to a value that only the same push
 * contains.
 *
 * @param boundTo the source whose values the key may void. Null means any source
 */
export async function resolveVoids(
  transaction: Pick<PushTransaction, 'findLatestRevisions'>,
  lines: readonly CheckedLine[],
  boundTo: string | null,
): Promise<Resolved> {
  const voids = lines.filter(isVoidLine);
  if (voids.length === 0) return { lines: lines as readonly ImportLine[], voided: 0, problems: [] };
  const present = await transaction.findLatestRevisions(voids.map(({ record }) => record.void));
  const values = new Map(present.map((value) => [nameOf(value), value]));
  const resolved: ImportLine[] = [];
  /** True if the last record about a value voids it. */
  const isVoidedLast = new Map<string, boolean>();
  const problems: (RecordProblem & Pick<ImportLine, 'line'>)[] = [];
  for (const each of lines) {
    if (!isVoidLine(each)) {
      if (each.record.type === 'metric') isVoidedLast.set(nameOf(each.record.metric), false);
      resolved.push(each as ImportLine);
      continue;
    }
    const { line, record } = each;
    const refuse = (message: string) => problems.push({ line, param: 'period', message });
    const value = values.get(nameOf(record.void));
    if (value === undefined) {
      refuse('has no value to void');
    } else if (boundTo !== null && boundTo !== value.source.system) {
      refuse(
        `has a value from ${value.source.system}. This key can void only values from ${boundTo}`,
      );
    } else {
      isVoidedLast.set(nameOf(record.void), value.rawValue !== null);
      resolved.push({ line, record: { type: 'metric', metric: voidedOf(value, record.void) } });
    }
  }
  const voided = [...isVoidedLast.values()].filter((isVoided) => isVoided).length;
  return { lines: resolved, voided, problems };
}

/** Leaves an already voided value unchanged. */
function voidedOf(
  { revision: _, verification: { verified }, ...value }: MetricRevision,
  { reason }: MetricVoid,
): ImportedRevision {
  const defaultedFields = ['label', 'category'] as const;
  if (value.rawValue === null) {
    return { ...value, verification: { verified, signed: false }, defaultedFields };
  }
  return {
    ...value,
    rawValue: null,
    value: null,
    voidReason: reason,
    verification: { verified: false, signed: false },
    defaultedFields,
  };
}
