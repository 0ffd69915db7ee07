import type { RecordProblem } from './company-data/import-line.ts';
import {
  type AccessErrorCode,
  accessErrors,
  type CatalogueCode,
  type ErrorType,
  refusals,
} from './error-catalogue.ts';

/** Bounds in the terms of JSON Schema. */
export type Bounds = {
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly format?: string;
};

/** The allowed values or bounds of a field. */
export type Allowed = readonly string[] | Bounds;

/** Details that help the caller to mend the call. */
export interface ErrorDetails {
  /** The rejected parameter, field or header, spelled as the caller does. */
  readonly param?: string;
  readonly allowed?: Allowed;
  /** The live request that the error concerns. */
  readonly accessRequestId?: string;
  /** The problems of records, in order. Only the first ones if there are many. */
  readonly records?: readonly NumberedProblem[];
  /** The number of records with problems. */
  readonly badRecords?: number;
}

/** A problem of one of several records. Counting starts at 0. */
export interface NumberedProblem extends RecordProblem {
  readonly record: number;
}

/** The step that a caller can take to get access. Each protocol describes it in its own terms. */
export type ConsentStep =
  | 'request'
  | 'amend'
  | 'wait'
  | 'talk before requesting'
  | 'talk before amending';

interface RefusalOptions {
  /** Replaces the general message of the catalogue. */
  readonly message?: string | undefined;
  readonly details?: ErrorDetails;
  readonly nextStep?: ConsentStep;
  /** Whole seconds after which the same call can succeed. */
  readonly retryAfterSeconds?: number;
  readonly cause?: unknown;
}

/** The retry delay when a dependency is down. */
const outageSeconds = 5;

/** An error by the rules of the core. Operators may see all of it. */
export class Refusal extends Error {
  readonly code: CatalogueCode;
  readonly type: ErrorType;
  readonly details: ErrorDetails;
  readonly nextStep: ConsentStep | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor(code: CatalogueCode, options: RefusalOptions = {}) {
    super(options.message ?? refusals[code].message, { cause: options.cause });
    this.name = 'Refusal';
    this.code = code;
    this.type = refusals[code].type;
    this.details = options.details ?? {};
    this.nextStep = options.nextStep;
    this.retryAfterSeconds =
      options.retryAfterSeconds ?? (code === 'service_unavailable' ? outageSeconds : undefined);
  }
}

/** An error that a caller may see. Its message contains nothing internal. */
export class AccessError extends Refusal {
  declare readonly code: AccessErrorCode;

  constructor(code: AccessErrorCode, options: RefusalOptions = {}) {
    super(code, options);
    this.name = 'AccessError';
  }
}

/** Another change of the company's data, such as an import, takes too long. */
export class DataLocked extends AccessError {
  constructor(options: Pick<RefusalOptions, 'cause'> = {}) {
    super('service_unavailable', options);
  }
}

/** @throws Refusal, or AccessError if callers may see the code, unless the condition holds */
export function ensure(
  condition: boolean,
  code: CatalogueCode,
  message?: string,
): asserts condition {
  if (!condition)
    throw isPublished(code) ? new AccessError(code, { message }) : new Refusal(code, { message });
}

const isPublished = (code: CatalogueCode): code is AccessErrorCode =>
  Object.hasOwn(accessErrors, code);
