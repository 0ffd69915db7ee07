import type { RecordProblem } from './company-data/import-line.ts';
import {
  type AccessErrorCode,
  accessErrors,
  type CatalogueCode,
  type ErrorType,
  refusals,
} from './error-catalogue.ts';

/** In the words of JSON Schema. */
export type Bounds = {
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly format?: string;
};

/** What may be sent: one of these values, or what keeps to these bounds. */
export type Allowed = readonly string[] | Bounds;

/** What a refusal is about, where that helps the caller to do better. */
export interface ErrorDetails {
  /** The parameter, field or header that was refused, as the caller names it. */
  readonly param?: string;
  readonly allowed?: Allowed;
  /** The live request under which the call was refused. */
  readonly accessRequestId?: string;
  /** What is wrong with records, in their order: the first of all problems. */
  readonly records?: readonly NumberedProblem[];
  /** How many records have something wrong. */
  readonly badRecords?: number;
}

/** What is wrong with one of several records, which are counted from 0. */
export interface NumberedProblem extends RecordProblem {
  readonly record: number;
}

/** What a caller can do about consent that is not there; how it does so, each protocol says in its own words. */
export type ConsentStep =
  | 'request'
  | 'amend'
  | 'wait'
  | 'talk before requesting'
  | 'talk before amending';

interface RefusalOptions {
  /** More exact than the one of the catalogue. */
  readonly message?: string | undefined;
  readonly details?: ErrorDetails;
  readonly nextStep?: ConsentStep;
  /** Whole seconds after which the same call can succeed. */
  readonly retryAfterSeconds?: number;
  readonly cause?: unknown;
}

/** How soon to try again when something that we depend on is down and nobody knows for how long. */
const outageSeconds = 5;

/** A refusal by the rules. An operator may see all of it. */
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

/** A refusal that a caller may see: its message discloses nothing of our inside. */
export class AccessError extends Refusal {
  declare readonly code: AccessErrorCode;

  constructor(code: AccessErrorCode, options: RefusalOptions = {}) {
    super(code, options);
    this.name = 'AccessError';
  }
}

/** Somebody else changes the data of the company, and for longer than was waited: an import, for instance. */
export class DataLocked extends AccessError {
  constructor(options: Pick<RefusalOptions, 'cause'> = {}) {
    super('service_unavailable', options);
  }
}

/** @throws Refusal, or AccessError where the code is one that callers may see, unless the condition holds */
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
