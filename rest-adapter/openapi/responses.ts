import { z } from 'zod';
import type { ZodOpenApiResponseObject, ZodOpenApiResponsesObject } from 'zod-openapi';
import { type ErrorDetails, grantableScopes } from '#core';
import { type ErrorCode, errorAnswers, errorCatalogue, errorEnvelope } from '#http';
import { type Described, isReading } from '../endpoint.ts';
import { errorEnvelopeSchema } from '../errors.ts';
import { exampleIds } from '../example-ids.ts';
import { answerHeaders, refusalHeaders } from './headers.ts';

/** What any endpoint may answer; a header that no request may lack or have twice is a parameter as well. */
const commonRefusals = [
  'invalid_parameter',
  'missing_api_key',
  'invalid_api_key',
  'rate_limit_exceeded',
  'internal_error',
  'service_unavailable',
] as const satisfies readonly ErrorCode[];

const exampleRequestId = 'req_019aa1b2c3d47e5f8a9b0c1d2e3f4a5b';

export const describeResponses = (
  endpoint: Described,
  publicUrl: string,
): ZodOpenApiResponsesObject => ({
  ...describeAnswers(endpoint),
  ...describeRefusals(endpoint, publicUrl),
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
  const unchanged = 'The caller has this body already, and may still read it.';
  return { ...answers, 304: { description: unchanged, headers: answerHeaders(endpoint) } };
}

function describeContent({ schema, example, stream, csv }: Described['responses'][number]) {
  if (schema === undefined) return {};
  return {
    content: {
      'application/json': { schema, example },
      ...(stream !== undefined && {
        'text/event-stream': { schema: z.string().meta({ description: stream }) },
      }),
      ...(csv !== undefined && { 'text/csv': { schema: z.string().meta({ description: csv }) } }),
    },
  };
}

/** What is answered where there is no operation: a path or a method that does not exist. */
export function describePathRefusals(publicUrl: string): Record<string, ZodOpenApiResponseObject> {
  return {
    RouteNotFound: describeGroup(404, ['route_not_found'], publicUrl),
    MethodNotAllowed: describeGroup(405, ['method_not_allowed'], publicUrl),
  };
}

/** One response a status. */
function describeRefusals(endpoint: Described, publicUrl: string): ZodOpenApiResponsesObject {
  const ofScope = endpoint.scope === undefined ? [] : (['insufficient_scope'] as const);
  const codes = new Set<ErrorCode>([...commonRefusals, ...ofScope, ...endpoint.refusals]);
  const byStatus = Map.groupBy(codes, (code) => errorAnswers[code].status);
  return Object.fromEntries(
    [...byStatus].map(([status, group]) => [status, describeGroup(status, group, publicUrl)]),
  );
}

/** The codes that share a status, with an example each. */
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

/** What a refusal may look like that says no more than its code. */
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
