import type { Environment } from '../identity/investor.ts';
import type { PublicKey } from '../proof/signing-key.ts';
import type { Account } from './account.ts';
import type { Company } from './company.ts';
import type { ImportedRevision, MetricVoid } from './metric.ts';
import type { MetricSignature } from './metric-payload.ts';
import type { ReportedSource } from './source.ts';

/** The revision that a value of an export names, and its signature if it has one. */
export interface ExportedRevision {
  readonly metric: ImportedRevision;
  /** Null if only the signature contains it. */
  readonly revision: number | null;
  /** A compact JWS. Null if the value isn't signed. */
  readonly signature: string | null;
}

/** A value with its revision number and the signature to keep. */
export interface SignedRevision {
  readonly metric: ImportedRevision;
  readonly revision: number;
  readonly signed: ImportedSignature | null;
}

/** A signature by this service or by another instance of it. */
export interface ImportedSignature extends Pick<MetricSignature, 'signedAt' | 'signature'> {
  readonly environment: Environment;
  /** A key of another service may be unknown here. */
  readonly key: PublicKey;
}

/** A parsed line before its signatures are verified. */
export type LineRecord =
  | Exclude<ImportRecord, { readonly type: 'revision' }>
  | ({ readonly type: 'exported' } & ExportedRevision)
  | VoidRecord
  /** A consent receipt. Only exports contain receipts; an import skips them. */
  | { readonly type: 'receipt' }
  /** The head of a receipt chain. Only exports contain it; an import skips it. */
  | { readonly type: 'receipts_head' };

/** Becomes a metric record when the value that it voids is known. */
export interface VoidRecord {
  readonly type: 'void';
  readonly void: MetricVoid;
}

/** A company that is in an investor's portfolio. */
export interface PortfolioMembership {
  readonly investorId: string;
  readonly companyId: string;
}

/** One fact about a company in an import. */
export type ImportRecord =
  | { readonly type: 'company'; readonly company: Pick<Company, 'id' | 'name' | 'environment'> }
  | { readonly type: 'metric'; readonly metric: ImportedRevision }
  | ({ readonly type: 'revision' } & SignedRevision)
  | { readonly type: 'source'; readonly source: ReportedSource }
  | { readonly type: 'account'; readonly account: Account }
  | { readonly type: 'portfolio'; readonly membership: PortfolioMembership };
