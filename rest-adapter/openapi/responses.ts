import { z } from 'zod';
import type { ZodOpenApiResponseObject, ZodOpenApiResponsesObject } from 'zod-openapi';
import { type ErrorDetails, grantableScopes } from '#core';
import { type ErrorCode, errorAnswers, errorCatalogue, errorCodes, errorEnvelope } from '#http';
import { type Described, isReading } from '../endpoint.ts';
import { errorEnvelopeSchema } from '../errors.ts';
import { exampleIds } from '../example-ids.ts';
import { answerHeaders, refusalHeaders } from './headers.ts';

/** The error codes that all endpoints share. `invalid_parameter` can also concern a header. */
const commonRefusals = [
  'invalid_parameter',
  'missing_api_key',
  'invalid_api_key',
  'rate_limit_exceeded',
  'internal_error',
  'service_unavailable',
] as const satisfies readonly ErrorCode[];

const exampleRequestId = 'req_019aa1b2c3d47e5f8a9b0c1d2e3f4a5b';

/** Returns the response for the error codes of one status. The same codes always return the same object. */
type RefusalGroups = (status: number, codes: readonly ErrorCode[]) => ZodOpenApiResponseObject;

/** Endpoints with the same codes share an entry in `components/responses`. */
export function shareRefusals(publicUrl: string): RefusalGroups {
  const groups = new Map<string, ZodOpenApiResponseObject>();
  return (status, unsorted) => {
    const codes = unsorted.toSorted(
      (one, other) => errorCodes.indexOf(one) - errorCodes.indexOf(other),
    );
    const id = codes.map(pascalCase).join('Or');
    const existingGroup = groups.get(id);
    if (existingGroup !== undefined) return existingGroup;
    const group = { id, ...describeGroup(status, codes, publicUrl) };
    groups.set(id, group);
    return group;
  };
}

/** Converts a code to a name: `company_not_found` becomes `CompanyNotFound`. */
const pascalCase = (code: ErrorCode): string =>
  code.replaceAll(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());

export const describeResponses = (
  endpoint: Described,
  refusals: RefusalGroups,
): ZodOpenApiResponsesObject => ({
  ...describeAnswers(endpoint),
  ...describeRefusals(endpoint, refusals),
});

function describeAnswers(endpoint: Described): ZodOpenApiResponsesObject {
  const answers = Object.fromEntries(
    Object.entries(endpoint.responses).map(([status, response]) => [
      status,
      {
        description: response.description,
        headers: answerHeaders(endpoint),
        ...describeContent(response),
      },
    ]),
  );
  if (!isReading(endpoint)) return answers;
  const unchanged = 'Your cached body is current, and you may still read the data.';
  return { ...answers, 304: { description: unchanged, headers: answerHeaders(endpoint) } };
}

function describeContent({ schema, example, stream, csv }: Described['responses'][number]) {
  if (schema === undefined) return {};
  return {
    content: {
      'application/json': { schema, example },
      ...(stream !== undefined && { 'text/event-stream': { schema: stream } }),
      ...(csv !== undefined && { 'text/csv': { schema: z.string().meta({ description: csv }) } }),
    },
  };
}

/** The responses for unknown paths and methods. */
export const describePathRefusals = (
  refusals: RefusalGroups,
): Record<string, ZodOpenApiResponseObject> => ({
  RouteNotFound: refusals(404, ['route_not_found']),
  MethodNotAllowed: refusals(405, ['method_not_allowed']),
});

function describeRefusals(endpoint: Described, refusals: RefusalGroups): ZodOpenApiResponsesObject {
  const ofScope = endpoint.scope === undefined ? [] : (['insufficient_scope'] as const);
  const codes = new Set<ErrorCode>([...commonRefusals, ...ofScope, ...endpoint.refusals]);
  const byStatus = Map.groupBy(codes, (code) => errorAnswers[code].status);
  return Object.fromEntries(
    [...byStatus].map(([status, group]) => [status, refusals(status, group)]),
  );
}

function describeGroup(
  status: number,
  codes: readonly ErrorCode[],
  publicUrl: string,
): ZodOpenApiResponseObject {
  return {
    description: codes.map((code) => `\`${code}\`: ${errorCatalogue[code].message}`).join('\n\n'),
    headers: refusalHeaders(status),
    content: {
      'application/json': { schema: errorEnvelopeSchema, examples: examplesOf(codes, publicUrl) },
    },
  };
}

function examplesOf(codes: readonly ErrorCode[], publicUrl: string) {
  return Object.fromEntries(
    codes.map((code) => [
      code,
      {
        summary: code,
        value: errorEnvelope(exampleOf(code), exampleRequestId, publicUrl),
      },
    ]),
  );
}

const exampleOf = (code: ErrorCode) => ({
  code,
  ...errorCatalogue[code],
  nextStep: undefined,
  details: detailExamples[code] ?? {},
});

const detailExamples: Partial<Record<ErrorCode, ErrorDetails>> = {
  invalid_parameter: { param: 'limit', allowed: { minimum: 1, maximum: 200 } },
  missing_company_id: { param: 'company_id' },
  missing_scopes: { param: 'scopes', allowed: grantableScopes },
  invalid_scope: { param: 'scopes[0]', allowed: grantableScopes },
  scope_conflict: { accessRequestId: exampleIds.granted },
  access_pending: { accessRequestId: exampleIds.unanswered },
  invalid_records: {
    records: [{ record: 2, param: 'raw_value', message: 'is not a number' }],
    badRecords: 1,
  },
};
