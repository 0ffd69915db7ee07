import type { Environment } from '../identity/investor.ts';
import { compactJws } from '../proof/jws.ts';
import type { MetricRevision, SignedVerification, SourceVerification } from './metric.ts';
import { type MetricSignature, metricPayload } from './metric-payload.ts';

/** What the signatures of one company by one key have in common. */
export interface SigningContext {
  readonly environment: Environment;
  /** As `metricHeader` makes it. */
  readonly header: string;
  readonly publicKeyUrl: string;
}

/** Builds the JWS of a stored value when somebody asks for it, of what is stored now: only its 64 bytes are kept. */
export class StoredSignature implements SignedVerification {
  readonly verified: boolean;
  readonly signed = true;
  readonly signedAt: Date;
  declare readonly sourceSignature?: string;
  // Private fields, because the value refers to its verification: neither is to hold the other twice when it is written.
  readonly #metric: Omit<MetricRevision, 'verification'>;
  readonly #signature: Uint8Array;
  readonly #context: SigningContext;

  constructor(
    metric: Omit<MetricRevision, 'verification'>,
    { verified, sourceSignature }: SourceVerification,
    { signedAt, signature }: Pick<MetricSignature, 'signedAt' | 'signature'>,
    context: SigningContext,
  ) {
    this.verified = verified;
    if (sourceSignature !== undefined) this.sourceSignature = sourceSignature;
    this.signedAt = signedAt;
    this.#metric = metric;
    this.#signature = signature;
    this.#context = context;
  }

  get signature(): string {
    const { environment, header } = this.#context;
    const payload = metricPayload({ ...this.#metric, environment }, this.signedAt);
    return compactJws(header, payload, this.#signature);
  }

  get publicKeyUrl(): string {
    return this.#context.publicKeyUrl;
  }

  get revision(): number {
    return this.#metric.revision;
  }
}
