import { z } from 'zod';
import { allowedAt, fieldsAt } from './allowed.ts';
import { grantableScopes } from './consent/scopes.ts';
import type { AccessErrorCode } from './error-catalogue.ts';
import { AccessError, type Allowed, ensure } from './errors.ts';
import { isName, isPlainLine, isPlainText, maxNameLength, notPlain } from './text.ts';
import { isExpressible } from './time.ts';
import { describeWrongType } from './wrong-type.ts';

type InputErrorCode = Extract<
  AccessErrorCode,
  'invalid_parameter' | 'missing_company_id' | 'missing_scopes' | 'invalid_scope'
>;

/** If an input has several problems, the error has the code that comes first in this list. */
const precedence = [
  'invalid_parameter',
  'missing_company_id',
  'missing_scopes',
  'invalid_scope',
] as const satisfies readonly InputErrorCode[];

interface InputErrorOptions {
  /** The exact problem, as the end of a sentence that begins with the parameter's name. Absent if unknown. */
  readonly reason?: string | undefined;
  readonly allowed?: Allowed | undefined;
}

export class InputError extends AccessError {
  declare readonly code: InputErrorCode;
  /** The parameter's name in the schema. Empty if the input isn't an object. */
  readonly parameter: string;
  readonly #options: InputErrorOptions;

  constructor(code: InputErrorCode, parameter: string, options: InputErrorOptions = {}) {
    const { allowed, reason } = options;
    super(code, {
      message: describe(code, parameter, reason),
      details: {
        ...(parameter !== '' && { param: parameter }),
        ...(allowed !== undefined && { allowed }),
      },
    });
    this.parameter = parameter;
    this.#options = options;
  }

  /** Returns a copy of the error for a protocol that gives the parameter another name. */
  withName(parameter: string): InputError {
    return new InputError(this.code, parameter, this.#options);
  }
}

/** @param nearest the known parameter name with the most similar spelling */
export function unknownParameter(
  parameter: string,
  knownNames: readonly string[],
  nearest?: string,
): InputError {
  const hint = nearest === undefined ? '' : `. Perhaps ${nearest} is meant`;
  const allowed = knownNames.length > 0 ? knownNames : undefined;
  const options = { reason: `is unknown${hint}`, allowed };
  return new InputError('invalid_parameter', parameter, options);
}

function describe(code: InputErrorCode, parameter: string, reason?: string): string {
  if (reason !== undefined) return `The parameter ${parameter} ${reason}.`;
  switch (code) {
    case 'invalid_parameter':
      return parameter === ''
        ? 'The input must be an object.'
        : `The parameter ${parameter} has a value that isn't allowed.`;
    case 'invalid_scope':
      return `${parameter} can’t be granted. These scopes can be granted: ${grantableScopes.join(', ')}.`;
    default:
      return `The parameter ${parameter} is missing.`;
  }
}

/**
 * Checks an input against its schema. The error has the code `invalid_parameter`, unless the message in the schema is
 * another error code.
 *
 * @throws InputError with the code that comes first in `precedence`
 */
export function parseInput<S extends z.ZodType>(schema: S, input: unknown): z.output<S> {
  const result = schema.safeParse(input);
  if (result.success) return result.data;
  const { issues } = result.error;
  const issue = issues.reduce((first, next) => (rankOf(next) < rankOf(first) ? next : first));
  const parameter = z.core.toDotPath(pathOf(issue));
  if (issue.code === 'unrecognized_keys') {
    throw unknownParameter(parameter, fieldsAt(schema, issue.path));
  }
  const reason = parameter === '' ? undefined : reasonOf(issue, input);
  throw new InputError(codeOf(issue), parameter, {
    reason,
    allowed: allowedAt(schema, issue.path),
  });
}

function reasonOf(issue: z.core.$ZodIssue, input: unknown): string | undefined {
  if (issue.code === 'custom') return issue.params?.reason;
  return codeOf(issue) === 'invalid_parameter' ? describeWrongType(issue, input) : undefined;
}

const codeOf = ({ message }: z.core.$ZodIssue): InputErrorCode =>
  precedence.find((code) => code === message) ?? precedence[0];

const rankOf = (issue: z.core.$ZodIssue): number => precedence.indexOf(codeOf(issue));

/** Returns the path of the rejected field. For an unknown field, Zod returns only the path of the object. */
function pathOf(issue: z.core.$ZodIssue): PropertyKey[] {
  return issue.code === 'unrecognized_keys'
    ? [...issue.path, ...issue.keys.slice(0, 1)]
    : issue.path;
}

/** @throws AccessError `invalid_parameter` unless the limit is from 1 to `most` */
export function requireLimit(limit: number, most: number, items: string): void {
  const isPossible = limit >= 1 && limit <= most;
  ensure(isPossible, 'invalid_parameter', `the limit must be from 1 to ${most} ${items}`);
}

const withReason = (reason: string) => ({ params: { reason } });

export const lineInput = (maxLength: number) =>
  z.string().max(maxLength).refine(isPlainLine, withReason(notPlain));

export const textInput = (maxLength: number) =>
  z.string().max(maxLength).refine(isPlainText, withReason(notPlain));

export const maxIdempotencyKeyLength = 255;

export const idempotencyKeyInput = lineInput(maxIdempotencyKeyLength).min(1).meta({
  description:
    'Makes the request safe to repeat. Within 24 hours, requests with the same key and body are carried out once and get the same response.',
  example: '3f0c2a9e-6a53-4d2e-9d8e-0c4d1c1f7a55',
});

export const nameInput = z.string().refine(isName);

/** A name from an operator. Surrounding spaces are removed. */
export const trimmedNameInput = z
  .string()
  .trim()
  .refine((name) => name !== '', withReason('must not be empty'))
  .refine(
    (name) => name.length <= maxNameLength,
    withReason(`must have at most ${maxNameLength} characters`),
  )
  .refine(isPlainLine, withReason(notPlain));

const instantText = z.iso.datetime({ offset: true }).transform((text) => new Date(text));

export const instantTextInput = instantText
  .refine(isExpressible)
  .meta({ description: 'RFC 3339.', example: '2027-03-31T00:00:00Z' });

export const instantInput = z
  .union([z.date(), instantText])
  .refine(isExpressible)
  .meta({ description: 'RFC 3339.', example: '2027-03-31T00:00:00Z' });

export const scopeInput = z.enum(grantableScopes);

export const maxPageSize = 200;

export const pageInput = z.strictObject({
  limit: z
    .int()
    .min(1)
    .max(maxPageSize)
    .default(50)
    .meta({ description: `The page size, from 1 to ${maxPageSize}.`, example: 50 }),
  cursor: z.string().nullish().meta({
    description: 'The `next_cursor` of the previous page.',
  }),
});

export const absentIs = (code: InputErrorCode) => ({
  error: ({ input }: { input?: unknown }) => (input === undefined ? code : undefined),
});

export const companyInput = z.object({
  companyId: z
    .string(absentIs('missing_company_id'))
    .min(1, 'missing_company_id')
    .meta({ description: 'ID of a company in your portfolio.', example: 'co_harbor' }),
});

export type CompanyInput = z.input<typeof companyInput>;
