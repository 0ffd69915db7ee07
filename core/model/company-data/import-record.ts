import type { Environment } from '../identity/investor.ts';
import type { PublicKey } from '../proof/signing-key.ts';
import type { Account } from './account.ts';
import type { Company } from './company.ts';
import type { ImportedRevision, MetricVoid } from './metric.ts';
import type { MetricSignature } from './metric-payload.ts';
import type { ReportedSource } from './source.ts';

/** A value that says which revision it is, and may have our signature already, as exports have. */
export interface ExportedRevision {
  readonly metric: ImportedRevision;
  /** Null: only the signature says it. */
  readonly revision: number | null;
  /** A compact JWS; null when it has none. */
  readonly signature: string | null;
}

/** A value at its place among the revisions of its period, with the signature that it is to keep. */
export interface SignedRevision {
  readonly metric: ImportedRevision;
  readonly revision: number;
  readonly signed: ImportedSignature | null;
}

/** A signature of ours, or of another service like this one. */
export interface ImportedSignature extends Pick<MetricSignature, 'signedAt' | 'signature'> {
  readonly environment: Environment;
  /** May be of another service, and not registered here before. */
  readonly key: PublicKey;
}

/** What a line says, before anything in it is verified. */
export type LineRecord =
  | Exclude<ImportRecord, { readonly type: 'revision' }>
  | ({ readonly type: 'exported' } & ExportedRevision)
  | VoidRecord
  /** The receipt of a consent, which an export has and no import takes. */
  | { readonly type: 'receipt' }
  /** The head of such receipts, which an export has and no import takes. */
  | { readonly type: 'receipts_head' };

/** It becomes a metric record once the value that it takes back is known. */
export interface VoidRecord {
  readonly type: 'void';
  readonly void: MetricVoid;
}

/** A company that is in an investor's portfolio. */
export interface PortfolioMembership {
  readonly investorId: string;
  readonly companyId: string;
}

/** One thing that an import says about a company. */
export type ImportRecord =
  | { readonly type: 'company'; readonly company: Pick<Company, 'id' | 'name' | 'environment'> }
  | { readonly type: 'metric'; readonly metric: ImportedRevision }
  | ({ readonly type: 'revision' } & SignedRevision)
  | { readonly type: 'source'; readonly source: ReportedSource }
  | { readonly type: 'account'; readonly account: Account }
  | { readonly type: 'portfolio'; readonly membership: PortfolioMembership };
