import { z } from 'zod';
import {
  createDocument,
  type ZodOpenApiOperationObject,
  type ZodOpenApiResponseObject,
  type ZodOpenApiResponsesObject,
} from 'zod-openapi';
import { type ErrorCode, errorCatalogue, errorEnvelope, statusOf } from '#http';
import type { Api } from './api.ts';
import type { Context } from './context.ts';
import { type Endpoint, mayLackBody } from './endpoint.ts';
import { errorEnvelopeSchema } from './errors.ts';

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

const header = (id: string, text: string, schema: z.ZodType) =>
  schema.meta({ description: text, header: { id, required: true } });

const headers = z.object({
  'Svc-Request-Id': header(
    'Svc-Request-Id',
    'Id of this request; name it when you contact us.',
    z.string(),
  ),
  'RateLimit-Limit': header('RateLimit-Limit', 'Requests allowed per window for the key.', z.int()),
  'RateLimit-Remaining': header(
    'RateLimit-Remaining',
    'Requests left in the current window.',
    z.int(),
  ),
  'RateLimit-Reset': header('RateLimit-Reset', 'Seconds until the window resets.', z.int()),
});

const etag = header('ETag', 'Tells this body from every other.', z.string());

const ifNoneMatch = z.string().optional().meta({
  description:
    'The ETag of a body that the caller has: the answer is 304, without a body, while it is still the same and may still be read.',
});

const retryAfter = header('Retry-After', 'Seconds to wait before the next try.', z.int());
const authenticate = header('WWW-Authenticate', 'How to authenticate.', z.literal('Bearer'));

const replayed = z
  .literal('true')
  .optional()
  .meta({
    description:
      'Present when this repeats what was answered before under the same Idempotency-Key.',
    header: { id: 'Idempotent-Replayed' },
  });

type Described = Omit<Endpoint<never>, 'handle'>;

/** Whether it answers with a company’s data, which a caller may have already. */
function isReading({ companyParameter }: Described): boolean {
  return companyParameter !== undefined;
}

/** The OpenAPI document, made of the schemas that validate the requests. */
export function createOpenApiDocument<C extends Context>(api: Api<C>, publicUrl: string) {
  const { title, summary, description, credential } = api;
  const paths: Record<string, Record<string, ZodOpenApiOperationObject>> = {};
  for (const endpoint of api.endpoints) {
    const path = `${api.prefix}${endpoint.path}`;
    paths[path] = {
      ...paths[path],
      [endpoint.method.toLowerCase()]: describe(endpoint, publicUrl),
    };
  }
  return createDocument({
    openapi: '3.1.1',
    info: {
      title,
      version: '1.0.0',
      summary,
      description,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: publicUrl }],
    security: [{ [credential.name]: [] }],
    tags: Object.entries(api.tags).map(([name, text]) => ({ name, description: text })),
    paths,
    components: {
      schemas: { Error: errorEnvelopeSchema },
      responses: describePathRefusals(publicUrl),
      securitySchemes: {
        [credential.name]: {
          type: 'http',
          scheme: 'bearer',
          description: credential.description,
        },
      },
    },
  });
}

function describe(endpoint: Described, publicUrl: string): ZodOpenApiOperationObject {
  const scope = endpoint.scope === undefined ? 'Any valid key.' : `Scope: \`${endpoint.scope}\`.`;
  return {
    operationId: endpoint.id,
    tags: [endpoint.tag],
    summary: endpoint.summary,
    description: `${endpoint.description}\n\n${scope}`,
    requestParams: {
      ...(endpoint.parameters && { path: endpoint.parameters }),
      ...(endpoint.query && { query: endpoint.query }),
      ...(endpoint.headers && { header: endpoint.headers }),
      ...(isReading(endpoint) && { header: z.object({ 'if-none-match': ifNoneMatch }) }),
    },
    ...(endpoint.body && {
      requestBody: {
        required: !mayLackBody(endpoint),
        content: { 'application/json': { schema: endpoint.body } },
      },
    }),
    responses: { ...describeAnswers(endpoint), ...describeRefusals(endpoint, publicUrl) },
  };
}

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

function describeContent({ schema, example, stream, csv }: Endpoint<never>['responses'][number]) {
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

function answerHeaders(endpoint: Described) {
  if (isReading(endpoint)) return headers.extend({ ETag: etag });
  return endpoint.headers ? headers.extend({ 'Idempotent-Replayed': replayed }) : headers;
}

/** What is answered where there is no operation: a path or a method that does not exist. */
function describePathRefusals(publicUrl: string): Record<string, ZodOpenApiResponseObject> {
  return {
    RouteNotFound: describeGroup(404, ['route_not_found'], publicUrl),
    MethodNotAllowed: describeGroup(405, ['method_not_allowed'], publicUrl),
  };
}

/** One response a status. */
function describeRefusals({ refusals }: Described, publicUrl: string): ZodOpenApiResponsesObject {
  const codes = new Set<ErrorCode>([...commonRefusals, ...refusals]);
  const byStatus = Map.groupBy(codes, (code) => statusOf[code]);
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

function refusalHeaders(status: number) {
  if (status === 401) return headers.extend({ 'WWW-Authenticate': authenticate });
  if (status === 429 || status === 503) return headers.extend({ 'Retry-After': retryAfter });
  return headers;
}

function examplesOf(codes: readonly ErrorCode[], publicUrl: string) {
  return Object.fromEntries(
    codes.map((code) => [
      code,
      {
        summary: code,
        value: errorEnvelope({ code, ...errorCatalogue[code] }, exampleRequestId, publicUrl),
      },
    ]),
  );
}
