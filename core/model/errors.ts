import type { RecordProblem } from './company-data/import-line.ts';
import {
  type AccessErrorCode,
  accessErrors,
  type CatalogueCode,
  type ErrorType,
  refusals,
} from './error-catalogue.ts';

/** The bounds of a value, named as in JSON Schema. */
export type Bounds = {
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly format?: string;
};

export type Allowed = readonly string[] | Bounds;

export interface ErrorDetails {
  /** The rejected parameter, field or header, as the caller spells it. */
  readonly param?: string;
  readonly allowed?: Allowed;
  readonly accessRequestId?: string;
  /** The first problems, in the order of the records. */
  readonly records?: readonly NumberedProblem[];
  /** The number of records with problems. Can be larger than the length of `records`. */
  readonly badRecords?: number;
}

/** A problem of one record in a list. The first record has the number 0. */
export interface NumberedProblem extends RecordProblem {
  readonly record: number;
}

/** The next step of a caller who needs access. Each protocol describes the step in its own terms. */
export type ConsentStep =
  | 'request'
  | 'amend'
  | 'amend terms'
  | 'wait'
  | 'talk before requesting'
  | 'talk before amending';

interface RefusalOptions {
  readonly message?: string | undefined;
  readonly details?: ErrorDetails;
  readonly nextStep?: ConsentStep;
  /** Whole seconds after which the same call can succeed. */
  readonly retryAfterSeconds?: number;
  readonly cause?: unknown;
}

const outageSeconds = 5;

/** An error that a rule of the core throws. Its message may contain details for operators. */
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

/** An error that is thrown if another change, such as an import, locks the company's data for too long. */
export class DataLocked extends AccessError {
  constructor(options: Pick<RefusalOptions, 'cause'> = {}) {
    super('service_unavailable', options);
  }
}

/** If the condition is false, throws an AccessError for a documented code, or a Refusal for any other code. */
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
