import { z } from 'zod';
import { createDocument, type ZodOpenApiOperationObject } from 'zod-openapi';
import type { Api } from '../api.ts';
import { wireSchema } from '../decode.ts';
import { type Described, isReading, mayLackBody } from '../endpoint.ts';
import { errorEnvelopeSchema } from '../errors.ts';
import { openAnswers } from './open-answers.ts';
import { describePathRefusals, describeResponses, shareRefusals } from './responses.ts';
import { describeWebhooks, webhookTag } from './webhooks.ts';

const ifNoneMatch = z.string().optional().meta({
  description:
    'The ETag of your cached body. If your cached body is current and you may still read the data, the response is 304 without a body.',
  example: '"wNbUxBWbYbqCwXAB5Nn5SJKfQ8V7YVMmcNNPyaeGXSo"',
});

export function createOpenApiDocument<Context>(api: Api<Context>, publicUrl: string) {
  const { title, summary, description, credential } = api;
  const refusals = shareRefusals(publicUrl);
  const paths: Record<string, Record<string, ZodOpenApiOperationObject>> = {};
  for (const endpoint of api.endpoints) {
    const path = `${api.prefix}${endpoint.path}`;
    paths[path] = {
      ...paths[path],
      [endpoint.method.toLowerCase()]: describe(endpoint, refusals),
    };
  }
  const document = {
    openapi: '3.1.1' as const,
    info: {
      title,
      version: '1.0.0',
      summary,
      description,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: publicUrl }],
    security: [{ [credential.name]: [] }],
    tags: [
      ...Object.entries(api.tags).map(([name, text]) => ({ name, description: text })),
      webhookTag,
    ],
    paths,
    webhooks: describeWebhooks(api.webhooks),
    components: {
      schemas: { Error: errorEnvelopeSchema },
      responses: describePathRefusals(refusals),
      securitySchemes: {
        [credential.name]: {
          type: 'http' as const,
          scheme: 'bearer',
          description: credential.description,
        },
      },
    },
  };
  return showExamples(createDocument(document, { override: openAnswers }));
}

/** Copies examples from the schemas to their parameters, because import tools read examples only there. */
function showExamples(document: ReturnType<typeof createDocument>) {
  for (const item of Object.values(document.paths ?? {})) {
    for (const operation of Object.values(item)) {
      for (const parameter of operation.parameters ?? []) {
        parameter.example ??= parameter.schema?.example;
      }
    }
  }
  return document;
}

function describe(
  endpoint: Described,
  refusals: ReturnType<typeof shareRefusals>,
): ZodOpenApiOperationObject {
  const scope = endpoint.scope === undefined ? 'Any valid key.' : `Scope: \`${endpoint.scope}\`.`;
  const body = endpoint.body && wireSchema(endpoint.body, 'body');
  return {
    operationId: endpoint.id,
    tags: [endpoint.tag],
    summary: endpoint.summary,
    description: `${endpoint.description}\n\n${scope}`,
    ...(endpoint.isAddition && { 'x-addition': true }),
    requestParams: {
      ...(endpoint.parameters && { path: endpoint.parameters }),
      ...(endpoint.query && { query: wireSchema(endpoint.query, 'query') }),
      ...(endpoint.headers && { header: wireSchema(endpoint.headers, 'headers') }),
      ...(isReading(endpoint) && { header: z.object({ 'If-None-Match': ifNoneMatch }) }),
    },
    ...(body && {
      requestBody: {
        required: !mayLackBody(endpoint),
        content: {
          'application/json': { schema: body, example: body.meta()?.example },
          ...(endpoint.acceptedRecords && {
            'application/x-ndjson': {
              schema: z.string().meta({ description: endpoint.acceptedRecords.lines }),
            },
          }),
        },
      },
    }),
    responses: describeResponses(endpoint, refusals),
  };
}
