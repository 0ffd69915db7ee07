import type { RecordProblem } from '../../model/company-data/import-line.ts';
import type {
  ImportRecord,
  LineRecord,
  VoidRecord,
} from '../../model/company-data/import-record.ts';
import type { PublicKey } from '../../model/proof/signing-key.ts';
import type { Ports } from '../../ports/index.ts';
import { createRevisionCheck } from './exported-revision.ts';
import { createSourceSignatureCheck } from './source-signature.ts';

type RecordToCheck = Exclude<LineRecord, { readonly type: 'receipt' | 'receipts_head' }>;

/**
 * Creates a function that checks the signatures of records, for one import or push. The function returns the record to
 * store, or the problem. If registered keys change meanwhile, only the next import or push uses the new keys.
 *
 * @param trusted keys that are trusted in addition to the registered ones
 */
export function createRecordCheck(ports: Ports, trusted: readonly PublicKey[] = []) {
  const findSourceProblem = createSourceSignatureCheck(ports);
  const checkRevision = createRevisionCheck(ports, trusted);
  return async (record: RecordToCheck): Promise<ImportRecord | VoidRecord | RecordProblem> => {
    if (record.type !== 'metric' && record.type !== 'exported') return record;
    const { sourceSignature } = record.metric.verification;
    if (sourceSignature !== undefined) {
      const message = await findSourceProblem(sourceSignature, record.metric);
      if (message !== null) return { param: 'source.signature', message };
    }
    if (record.type === 'metric') return record;
    const checked = await checkRevision(record);
    return typeof checked === 'string'
      ? { param: 'verification.signature', message: checked }
      : { type: 'revision', ...checked };
  };
}
