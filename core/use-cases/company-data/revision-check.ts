import type { RecordProblem } from '../../model/company-data/import-line.ts';
import type { SignedRevision } from '../../model/company-data/import-record.ts';
import type { ImportedRevision, MetricRevision } from '../../model/company-data/metric.ts';
import type { Environment } from '../../model/identity/investor.ts';
import type { ImportLine, PushTransaction } from '../../ports/company-data.ts';

type RevisionLine = ImportLine & {
  readonly record: Extract<ImportLine['record'], { readonly type: 'revision' }>;
};

type LineProblem = RecordProblem & Pick<ImportLine, 'line'>;

interface Content {
  readonly value: string;
  /** The signature in hexadecimal. Null if the revision is unsigned. */
  readonly signature: string | null;
}

const isRevision = (line: ImportLine): line is RevisionLine => line.record.type === 'revision';

/**
 * Finds revisions that can't be stored under their number. Compares each revision with the stored revisions and with
 * earlier lines. Expects batches in ascending order of the revision number.
 */
export class RevisionCheck {
  #number = 0;
  /** The lines with revision `#number`, by metric and period. `#formerContents` is one revision earlier. */
  #present = new Map<string, Content>();
  #formerContents = new Map<string, Content>();

  async find(
    transaction: Pick<PushTransaction, 'findRevisions'>,
    environment: Environment,
    lines: readonly ImportLine[],
  ): Promise<LineProblem[]> {
    const revisions = lines
      .filter(isRevision)
      .toSorted((one, other) => one.record.revision - other.record.revision);
    if (revisions.length === 0) return [];
    const metricPeriods = revisions.flatMap(({ record: { metric, revision } }) =>
      [revision, revision - 1].map((number) => ({ ...metric, revision: number })),
    );
    const found = await transaction.findRevisions(metricPeriods);
    const stored = new Map(
      found.map(({ metric, signature }) => [
        nameOf(metric, metric.revision),
        toContent(metric, signature),
      ]),
    );
    return revisions.flatMap(({ line, record }) => {
      const problem = this.#problemOf(record, environment, stored);
      return problem === null ? [] : [{ line, ...problem }];
    });
  }

  #problemOf(
    { metric, revision, signed }: SignedRevision,
    environment: Environment,
    stored: ReadonlyMap<string, Content>,
  ): RecordProblem | null {
    this.#moveTo(revision);
    const name = nameOf(metric, 0);
    const own = toContent(metric, signed?.signature ?? null);
    const same = stored.get(nameOf(metric, revision));
    const formerContent =
      this.#formerContents.get(name) ?? stored.get(nameOf(metric, revision - 1));
    const firstContent = this.#present.getOrInsert(name, own);
    const createProblem = (param: string, message: string): RecordProblem => ({ param, message });
    const [here, before] = [revision, revision - 1].map(
      (number) => `revision ${number} of this period`,
    );
    if (signed !== null && signed.environment !== environment) {
      return createProblem(
        'verification.signature',
        `belongs to a company in the ${signed.environment} environment`,
      );
    }
    if (same !== undefined && same.value !== own.value) {
      return createProblem('revision', `${here} is stored with another value`);
    }
    if (same !== undefined && own.signature !== null && same.signature !== own.signature) {
      return createProblem('verification.signature', `${here} is stored without this signature`);
    }
    if (same === undefined && revision > 1 && formerContent === undefined) {
      return createProblem('revision', `${before} is missing`);
    }
    if (firstContent.value !== own.value || firstContent.signature !== own.signature) {
      return createProblem('revision', `${here} appears twice`);
    }
    if (same === undefined && formerContent?.value === own.value) {
      return createProblem('revision', `${before} has the same value`);
    }
    return null;
  }

  #moveTo(revision: number): void {
    if (revision === this.#number) return;
    this.#formerContents = revision === this.#number + 1 ? this.#present : new Map();
    this.#present = new Map();
    this.#number = revision;
  }
}

const nameOf = ({ key, period }: ImportedRevision | MetricRevision, revision: number) =>
  `${key} ${period} ${revision}`;

function toContent(
  metric: ImportedRevision | MetricRevision,
  signature: Uint8Array | null,
): Content {
  const { source, verification, currency, rawValue, value, asOf, confidence } = metric;
  const voidReason = 'voidReason' in metric ? metric.voidReason : null;
  const { verified, sourceSignature = null } = verification;
  const fields = [currency, rawValue, value, asOf, confidence, source.system, source.method];
  return {
    value: JSON.stringify([...fields, source.lastSynced, verified, sourceSignature, voidReason]),
    signature: signature?.toHex() ?? null,
  };
}
