import type { Environment } from '../identity/investor.ts';
import { compactJws } from '../proof/jws.ts';
import type { MetricRevision, SignedVerification, SourceVerification } from './metric.ts';
import { type MetricSignature, metricPayload } from './metric-payload.ts';

export interface SigningContext {
  readonly environment: Environment;
  /** The result of `metricHeader`. */
  readonly header: string;
  readonly publicKeyUrl: string;
}

/** Builds the JWS of a value on demand. Only the 64 bytes of the signature are stored. */
export class StoredSignature implements SignedVerification {
  readonly verified: boolean;
  readonly signed = true;
  readonly signedAt: Date;
  declare readonly sourceSignature?: string;
  // Private, so that JSON leaves it out. The metric refers back to this object, and JSON can't contain a cycle.
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
