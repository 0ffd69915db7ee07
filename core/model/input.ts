import { z } from 'zod';
import { allowedAt, fieldsAt } from './allowed.ts';
import { grantableScopes } from './consent/scopes.ts';
import type { AccessErrorCode } from './error-catalogue.ts';
import { AccessError, type Allowed, ensure } from './errors.ts';
import { isName, isPlainLine, isPlainText, maxNameLength, notPlain } from './text.ts';
import { isExpressible } from './time.ts';
import { wrongType } from './wrong-type.ts';

type InputErrorCode = Extract<
  AccessErrorCode,
  'invalid_parameter' | 'missing_company_id' | 'missing_scopes' | 'invalid_scope'
>;

/** The order of precedence: a wrong type or value comes before anything that is missing or not grantable. */
const precedence = [
  'invalid_parameter',
  'missing_company_id',
  'missing_scopes',
  'invalid_scope',
] as const satisfies readonly InputErrorCode[];

interface InputErrorOptions {
  /** What is wrong with the parameter, where more is known than that it is: the rest of the sentence. */
  readonly reason?: string | undefined;
  readonly allowed?: Allowed | undefined;
}

/** The refusal of an input. */
export class InputError extends AccessError {
  declare readonly code: InputErrorCode;
  /** As the schema spells it; empty: the input is no object at all. */
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

  /** The same refusal, for a caller to whom the parameter has another name. */
  withName(parameter: string): InputError {
    return new InputError(this.code, parameter, this.#options);
  }
}

/** @param nearest what may have been meant */
export function unknownParameter(
  parameter: string,
  known: readonly string[],
  nearest?: string,
): InputError {
  const hint = nearest === undefined ? '' : `. Perhaps ${nearest} is meant`;
  const allowed = known.length > 0 ? known : undefined;
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
      return `${parameter} cannot be granted; grantable are ${grantableScopes.join(', ')}.`;
    default:
      return `The parameter ${parameter} is missing.`;
  }
}

/**
 * Checks an input against its schema. A check that fails is `invalid_parameter`, unless its message is another code.
 *
 * @throws InputError with the code that takes precedence
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

/** Returns the exact problem of a value, or undefined if the generic message fits. */
function reasonOf(issue: z.core.$ZodIssue, input: unknown): string | undefined {
  if (issue.code === 'custom') return issue.params?.reason;
  return codeOf(issue) === 'invalid_parameter' ? wrongType(issue, input) : undefined;
}

/** The code that an issue names by its message: one that names none is the first. */
const codeOf = ({ message }: z.core.$ZodIssue): InputErrorCode =>
  precedence.find((code) => code === message) ?? precedence[0];

const rankOf = (issue: z.core.$ZodIssue): number => precedence.indexOf(codeOf(issue));

/** A field that nobody knows is named itself, not the object that holds it. */
function pathOf(issue: z.core.$ZodIssue): PropertyKey[] {
  return issue.code === 'unrecognized_keys'
    ? [...issue.path, ...issue.keys.slice(0, 1)]
    : issue.path;
}

/** @throws AccessError `invalid_parameter` unless a list of such items may be as long */
export function requireLimit(limit: number, most: number, items: string): void {
  const isPossible = limit >= 1 && limit <= most;
  ensure(isPossible, 'invalid_parameter', `a list has from 1 to ${most} ${items}`);
}

const refusedFor = (reason: string) => ({ params: { reason } });

/** A line that people write for others. */
export const lineInput = (maxLength: number) =>
  z.string().max(maxLength).refine(isPlainLine, refusedFor(notPlain));

/** A text of several lines that people write for others. */
export const textInput = (maxLength: number) =>
  z.string().max(maxLength).refine(isPlainText, refusedFor(notPlain));

export const maxIdempotencyKeyLength = 255;

export const idempotencyKeyInput = lineInput(maxIdempotencyKeyLength).min(1).meta({
  description:
    'Makes the request safe to repeat: within 24 hours the same key and body get the same answer, and the request is carried out once.',
  example: '3f0c2a9e-6a53-4d2e-9d8e-0c4d1c1f7a55',
});

/** A name, without space around it. */
export const nameInput = z.string().refine(isName);

/** A name that an operator gives: the space around it is left out. */
export const givenNameInput = z
  .string()
  .trim()
  .refine((name) => name !== '', refusedFor('must not be empty'))
  .refine(
    (name) => name.length <= maxNameLength,
    refusedFor(`has at most ${maxNameLength} characters`),
  )
  .refine(isPlainLine, refusedFor(notPlain));

const instantText = z.iso.datetime({ offset: true }).transform((text) => new Date(text));

/** RFC 3339 text with an offset. */
export const instantTextInput = instantText
  .refine(isExpressible)
  .meta({ description: 'RFC 3339.', example: '2027-03-31T00:00:00Z' });

/** An instant, or such a text. */
export const instantInput = z
  .union([z.date(), instantText])
  .refine(isExpressible)
  .meta({ description: 'RFC 3339.', example: '2027-03-31T00:00:00Z' });

/** A scope that a list is narrowed to. */
export const scopeInput = z.enum(grantableScopes);

export const maxPageSize = 200;

/** A part of a long list. */
export const pageInput = z.strictObject({
  limit: z
    .int()
    .min(1)
    .max(maxPageSize)
    .default(50)
    .meta({ description: `How many at most; from 1 to ${maxPageSize}.`, example: 50 }),
  cursor: z.string().nullish().meta({
    description: 'The `next_cursor` of the page before.',
  }),
});

/** For a field that must be there: what is wrong with it when it is not. */
export const absentIs = (code: InputErrorCode) => ({
  error: ({ input }: { input?: unknown }) => (input === undefined ? code : undefined),
});

/** One company of the portfolio, whatever is read of it. */
export const companyInput = z.object({
  companyId: z
    .string(absentIs('missing_company_id'))
    .min(1, 'missing_company_id')
    .meta({ description: 'Id of a company of the portfolio.', example: 'co_harbor' }),
});

export type CompanyInput = z.input<typeof companyInput>;
