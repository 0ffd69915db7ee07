import { z } from 'zod';
import { companyAccesses } from './consent/access-policy.ts';
import { accessRequestStatuses } from './consent/access-request.ts';
import { grantableScopes } from './consent/scopes.ts';
import { AccessError, type AccessErrorCode } from './errors.ts';
import { isPlainText } from './text.ts';
import { isExpressible } from './time.ts';

/**
 * The inputs of the use cases, one schema each. A failed check names its error code as the message of the issue, so
 * that every protocol refuses the same input with the same code.
 */
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

const absentIs = (code: InputErrorCode) => ({
  error: (issue: { input?: unknown }): InputErrorCode =>
    issue.input === undefined ? code : 'invalid_parameter',
});

const textIs = (code: InputErrorCode) => ({
  error: (issue: { input?: unknown }): InputErrorCode =>
    typeof issue.input === 'string' ? code : 'invalid_parameter',
});

export const maxPurposeLength = 1000;

export const companyIdInput = z
  .string(absentIs('missing_company_id'))
  .min(1, 'missing_company_id')
  .meta({ description: 'Id of a company of the portfolio.', example: 'co_harbor' });

export const requestAccessInput = z.object(
  {
    companyId: companyIdInput,
    scopes: z
      .array(z.enum(grantableScopes, textIs('invalid_scope')), absentIs('missing_scopes'))
      .min(1, 'missing_scopes')
      .meta({
        description: 'What is asked for, at least one scope. Duplicates are folded.',
        example: ['metrics:read', 'sources:read'],
      }),
    purpose: z
      .string('invalid_parameter')
      .max(maxPurposeLength)
      .refine(isPlainText)
      .nullish()
      .meta({
        description: 'Explanation that is sent to the company; at most 1,000 characters.',
        example: 'Quarterly reporting to our partners.',
      }),
  },
  'invalid_parameter',
);

export type RequestAccessInput = z.output<typeof requestAccessInput>;

export const listAccessRequestsInput = z.object(
  {
    status: z
      .enum(accessRequestStatuses, 'invalid_parameter')
      .optional()
      .meta({ description: 'Only requests that have this status now.', example: 'pending' }),
  },
  'invalid_parameter',
);

export type ListAccessRequestsInput = z.output<typeof listAccessRequestsInput>;

export const accessRequestInput = z.object(
  {
    id: z
      .string('invalid_parameter')
      .meta({ description: 'Identifier of the form ar_….', example: 'ar_0198c5c1' }),
  },
  'invalid_parameter',
);

export type AccessRequestInput = z.output<typeof accessRequestInput>;

export const listPortfolioInput = z.object(
  {
    access: z
      .enum(companyAccesses, 'invalid_parameter')
      .optional()
      .meta({ description: 'Only companies with this access now.', example: 'approved' }),
  },
  'invalid_parameter',
);

export type ListPortfolioInput = z.output<typeof listPortfolioInput>;

/** One company of the portfolio, whatever is read of it. */
export const companyInput = z.object({ companyId: companyIdInput }, 'invalid_parameter');

export type CompanyInput = z.output<typeof companyInput>;

export const maxMetricKeys = 200;

const metricKeyInput = z
  .string('invalid_parameter')
  .meta({ description: 'Key of a metric.', example: 'cash_balance' });

const periodInput = z.iso
  .date('invalid_parameter')
  .refine((text) => isExpressible(new Date(text)))
  .nullish();

export const latestMetricsInput = companyInput.extend({
  keys: z
    .array(metricKeyInput, 'invalid_parameter')
    .max(maxMetricKeys)
    .nullish()
    .meta({ description: `Only these metrics; at most ${maxMetricKeys} keys.` }),
});

export type LatestMetricsInput = z.output<typeof latestMetricsInput>;

export const metricInput = companyInput.extend({ key: metricKeyInput });

export type MetricInput = z.output<typeof metricInput>;

export const metricHistoryInput = metricInput.extend({
  from: periodInput.meta({ description: 'The first period, included.', example: '2026-01-31' }),
  to: periodInput.meta({ description: 'The last period, included.', example: '2026-10-31' }),
});

export type MetricHistoryInput = z.output<typeof metricHistoryInput>;

export const idempotencyKeyInput = z
  .string('invalid_parameter')
  .min(1)
  .max(255)
  .refine(isPlainText)
  .meta({
    description:
      'Makes the request safe to repeat: within 24 hours the same key and body get the same answer, and the request is carried out once.',
    example: '3f0c2a9e-6a53-4d2e-9d8e-0c4d1c1f7a55',
  });

export const maxAccessRecords = 1000;

export const listAccessRecordsInput = z.object(
  {
    companyId: z.string('invalid_parameter').nullish(),
    since: z.date('invalid_parameter').refine(isExpressible).nullish(),
    limit: z.int('invalid_parameter').min(1).max(maxAccessRecords),
  },
  'invalid_parameter',
);

export type ListAccessRecordsInput = z.output<typeof listAccessRecordsInput>;

/** For the protocols that have no header of their own for each call. */
export const requestAccessOnceInput = requestAccessInput.extend({
  idempotencyKey: idempotencyKeyInput.nullish(),
});

/**
 * Checks an input against its schema.
 *
 * @throws AccessError with the code that takes precedence, its message naming the parameter as the schema spells it
 */
export function parseInput<S extends z.ZodType>(schema: S, input: unknown): z.output<S> {
  const result = schema.safeParse(input);
  if (result.success) return result.data;
  const { issues } = result.error;
  for (const code of precedence) {
    const issue = issues.find((candidate) => candidate.message === code);
    if (issue) throw new AccessError(code, describe(code, issue.path));
  }
  throw new Error('an input schema failed without a code', { cause: result.error });
}

function describe(code: InputErrorCode, path: readonly PropertyKey[]): { message: string } {
  const [root, ...rest] = path.map(String);
  const parameter = [
    root,
    ...rest.map((part) => (/^\d+$/.test(part) ? `[${part}]` : `.${part}`)),
  ].join('');
  switch (code) {
    case 'invalid_parameter':
      return {
        message:
          root === undefined
            ? 'The input must be an object.'
            : `The parameter ${parameter} has a value or a type that is not allowed.`,
      };
    case 'invalid_scope':
      return {
        message: `${parameter} cannot be granted; grantable are ${grantableScopes.join(', ')}.`,
      };
    default:
      return { message: `The parameter ${parameter} is missing.` };
  }
}
