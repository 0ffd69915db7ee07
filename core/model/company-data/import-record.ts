import type { Environment } from '../identity/investor.ts';
import type { PublicKey } from '../proof/signing-key.ts';
import type { Account } from './account.ts';
import type { Company } from './company.ts';
import type { ImportedRevision, MetricVoid } from './metric.ts';
import type { MetricSignature } from './metric-payload.ts';
import type { ReportedSource } from './source.ts';

export interface ExportedRevision {
  readonly metric: ImportedRevision;
  /** Null if only the signature contains the revision number. */
  readonly revision: number | null;
  /** A compact JWS. Null if the value isn't signed. */
  readonly signature: string | null;
}

export interface SignedRevision {
  readonly metric: ImportedRevision;
  readonly revision: number;
  readonly signed: ImportedSignature | null;
}

export interface ImportedSignature extends Pick<MetricSignature, 'signedAt' | 'signature'> {
  readonly environment: Environment;
  /** The key that made the signature. If another service signed the value, this service may not know the key yet. */
  readonly key: PublicKey;
}

/** A parsed line of an import. Its signatures aren't verified yet. */
export type LineRecord =
  | Exclude<ImportRecord, { readonly type: 'revision' }>
  | ({ readonly type: 'exported' } & ExportedRevision)
  | VoidRecord
  /** A consent receipt in an exported file. The import skips it. */
  | { readonly type: 'receipt' }
  /** A signed statement about the last receipt of a chain, in an exported file. The import skips it. */
  | { readonly type: 'receipts_head' };

/** A record that voids a value. The import turns it into a metric record when it has read the stored value. */
export interface VoidRecord {
  readonly type: 'void';
  readonly void: MetricVoid;
}

export interface PortfolioMembership {
  readonly investorId: string;
  readonly companyId: string;
}

export type ImportRecord =
  | { readonly type: 'company'; readonly company: Pick<Company, 'id' | 'name' | 'environment'> }
  | { readonly type: 'metric'; readonly metric: ImportedRevision }
  | ({ readonly type: 'revision' } & SignedRevision)
  | { readonly type: 'source'; readonly source: ReportedSource }
  | { readonly type: 'account'; readonly account: Account }
  | { readonly type: 'portfolio'; readonly membership: PortfolioMembership };
