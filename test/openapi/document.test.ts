import { describe, expect, it } from 'vitest';
import { eventTypes, isRequestEvent, type RequestFeedEvent } from '#core';
import { writeWebhook } from '#rest-adapter';
import { closedAfterAll } from '../support/closed.ts';
import { closeDocument } from '../support/closed-document.ts';
import {
  codesOutsideCompanyRest,
  codesOutsideInvestorRest,
  errorTable,
  type RefusalCode,
  refusalCodes,
} from '../support/contract.ts';
import type { Json } from '../support/http-client.ts';
import { dereference } from '../support/openapi-rules.ts';
import { publicUrl, startService, type TestService } from '../support/service.ts';
import { createValidator } from './validator.ts';

const service = await closedAfterAll(startService({ storage: { memory: true } }));

/** The statuses that the API contract names for each operation. */
const contractStatuses: [method: string, path: string, statuses: number[]][] = [
  ['post', '/v1/access-requests', [200, 201, 400, 401, 404, 409, 422, 429, 500]],
  ['get', '/v1/access-requests', [200, 400, 401, 429]],
  ['get', '/v1/companies', [200, 401, 403, 429]],
  ['get', '/v1/companies/{id}/metrics', [200, 401, 403, 404, 429]],
  ['get', '/v1/companies/{id}/metrics/{key}', [200, 401, 403, 404, 429]],
  ['get', '/v1/companies/{id}/metrics/{key}/history', [200, 401, 403, 404, 429]],
  ['get', '/v1/companies/{id}/sources', [200, 401, 403, 404, 429]],
  ['get', '/v1/companies/{id}/accounts', [200, 401, 403, 404, 429]],
  ['get', '/v1/reports', [401, 403, 429, 501]],
];

type Owners = Pick<RequestFeedEvent['accessRequest'], 'investorId' | 'companyId'>;

const documents = [
  {
    name: 'of investors',
    credential: 'apiKey',
    foreignCodes: codesOutsideInvestorRest,
    read: ({ document }: TestService) => document,
    file: 'investor.openapi.json',
    ownerOf: ({ investorId }: Owners) => ({ investorId }),
  },
  {
    name: 'of companies',
    credential: 'companyKey',
    foreignCodes: codesOutsideCompanyRest,
    read: ({ companyDocument }: TestService) => companyDocument,
    file: 'company.openapi.json',
    ownerOf: ({ companyId }: Owners) => ({ companyId }),
  },
];

/** Answers to an unknown path or method belong to no operation, so they are listed here. */
const outsideOfAnyOperation = [
  ['RouteNotFound', '404'],
  ['MethodNotAllowed', '405'],
] as const;

interface Described {
  readonly where: string;
  readonly status: string;
  readonly response: Json;
}

describe.each(documents)('the OpenAPI document $name', (given) => {
  const document = given.read(service);
  const published = createValidator(document);
  const closed = createValidator(closeDocument(document));
  const responses: Described[] = [
    ...outsideOfAnyOperation.map(([name, status]) => ({
      where: name,
      status,
      response: document.components.responses[name],
    })),
    ...Object.entries<Json>(document.paths).flatMap(([path, item]) =>
      Object.entries<Json>(item).flatMap(([method, operation]) =>
        Object.entries<Json>(operation.responses).map(([status, response]) => ({
          where: `${method} ${path}`,
          status,
          response: dereference(document, response),
        })),
      ),
    ),
  ];

  const examplesOf = ({ response }: Described): Json[] => {
    const { example, examples = {} } = response.content?.['application/json'] ?? {};
    const named = Object.values<Json>(examples).map(({ value }) => value);
    return example === undefined ? named : [example, ...named];
  };

  /** After an intended change, update the file with `npx vitest run test/openapi/document.test.ts -u`. */
  it('is equal to the committed file', async () => {
    await expect(`${JSON.stringify(document, null, 2)}\n`).toMatchFileSnapshot(
      `../../rest-adapter/${given.file}`,
    );
  });

  it('is OpenAPI 3.1 and contains the URL of the service', () => {
    expect(document.openapi).toMatch(/^3\.1\./);
    expect(document.servers).toEqual([{ url: publicUrl }]);
  });

  it('documents the headers of every response', () => {
    expect(responses.length).toBeGreaterThan(50);
    for (const { where, status, response } of responses) {
      const names = Object.keys(response.headers ?? {});
      expect(names, `${where} ${status}`).toEqual(
        expect.arrayContaining([
          'Svc-Request-Id',
          'RateLimit-Limit',
          'RateLimit-Remaining',
          'RateLimit-Reset',
          'RateLimit-Policy',
          'RateLimit',
        ]),
      );
      const waits = status === '429' || status === '503';
      expect(names.includes('Retry-After'), `${where} ${status}: Retry-After`).toBe(waits);
    }
  });

  it('has a valid example for every response with a body', () => {
    for (const described of responses.filter(({ status }) => !['204', '304'].includes(status))) {
      const examples = examplesOf(described);
      const name = `${described.where} ${described.status}`;
      expect(examples.length, name).toBeGreaterThan(0);
      const schema = closeDocument(described.response.content['application/json'].schema);
      for (const example of examples) expect(closed.problems(schema, example), name).toEqual([]);
    }
  });

  it('allows new fields and values in responses, except where the API contract forbids them', () => {
    for (const described of responses.filter(({ response }) => response.content !== undefined)) {
      const { schema } = described.response.content['application/json'];
      for (const example of examplesOf(described)) {
        const grown = { ...example, new_field: { of: 'a later version' } };
        expect(published.problems(schema, grown), described.where).toEqual([]);
      }
    }
    const { error } = document.components.schemas.Error.properties;
    expect(published.problems(error.properties.code, 'a_code_of_a_later_version')).toEqual([]);
    const { AccessRequest, ReceivedAccessRequest } = document.components.schemas;
    const { status } = (AccessRequest ?? ReceivedAccessRequest).properties;
    expect(published.problems(status, 'a_status_of_a_later_version')).not.toEqual([]);
  });

  it('forbids unknown fields in requests', () => {
    for (const [path, item] of Object.entries<Json>(document.paths)) {
      for (const { requestBody } of Object.values<Json>(item)) {
        if (requestBody === undefined) continue;
        const schema = dereference(document, requestBody.content['application/json'].schema);
        expect(schema.additionalProperties, path).toBe(false);
      }
    }
  });

  it('has an example for every parameter and body, so that tools can import them', () => {
    for (const [path, item] of Object.entries<Json>(document.paths)) {
      for (const [method, { parameters = [], requestBody }] of Object.entries<Json>(item)) {
        for (const { name, schema, example } of parameters) {
          const where = `${method} ${path}: ${name}`;
          expect(example, where).toBeDefined();
          expect(published.problems(schema, example), where).toEqual([]);
        }
        if (requestBody === undefined) continue;
        const { schema, example } = requestBody.content['application/json'];
        expect(example, `${method} ${path}`).toBeDefined();
        expect(published.problems(schema, example), `${method} ${path}`).toEqual([]);
      }
    }
  });

  it('has examples of parameters, fields and headers that match their schemas', () => {
    let count = 0;
    walk(document, (node) => {
      const examples = [
        ...('example' in node && node.schema === undefined ? [node.example] : []),
        ...(Array.isArray(node.examples) ? node.examples : []),
      ];
      const isSchema = 'type' in node || '$ref' in node || 'enum' in node;
      if (!isSchema) return;
      for (const example of examples) {
        count += 1;
        expect(closed.problems(node, example), JSON.stringify(node)).toEqual([]);
      }
    });
    expect(count).toBeGreaterThan(3);
  });

  it('documents every error code of REST with its status and an example', () => {
    const seen = new Set<string>();
    for (const described of responses) {
      for (const example of examplesOf(described)) {
        if (example?.error === undefined) continue;
        const { code, type, documentation_url: url } = example.error;
        seen.add(code);
        const [status, knownType] = errorTable[code as RefusalCode];
        expect([Number(described.status), type]).toEqual([status, knownType]);
        expect(url).toBe(`${publicUrl}/docs/errors#${code}`);
        expect(described.response.description).toContain(code);
      }
    }
    expect([...seen, ...given.foreignCodes].toSorted()).toEqual([...refusalCodes].toSorted());
  });

  it('lists exactly the existing error codes in the schema of the error', () => {
    const { code, type } = document.components.schemas.Error.properties.error.properties;
    const listed = (schema: Json) => schema.anyOf[0].enum.toSorted();
    expect(listed(code)).toEqual(refusalCodes.toSorted());
    const types = new Set(Object.values(errorTable).map(([, known]) => known));
    expect(listed(type)).toEqual([...types].toSorted());
  });

  it('describes the webhook message for each type of event', async () => {
    const types = [...eventTypes, 'webhook.test'];
    expect(Object.keys(document.webhooks)).toEqual(types);
    const made = await service.fixtures.readablePortfolio();
    const { events } = await service.operator.listAccessEvents({ limit: 1000 });
    const own = events
      .filter(isRequestEvent)
      .filter(({ accessRequest }) => accessRequest.companyId === made.company.id);
    expect(own.map(({ type }) => type)).toEqual([
      'access_request.created',
      'access_request.approved',
    ]);
    const owner = given.ownerOf((own[0] as RequestFeedEvent).accessRequest);
    const operationIds = new Set<string>();
    for (const type of types) {
      const { operationId, security, parameters, requestBody, responses } =
        document.webhooks[type].post;
      operationIds.add(operationId);
      expect(security, 'the secret of the endpoint is no key').toEqual([]);
      expect(parameters.map(({ name }: Json) => name)).toEqual([
        'webhook-id',
        'webhook-timestamp',
        'webhook-signature',
      ]);
      expect(Object.keys(responses).toSorted()).toEqual(['2XX', '410', 'default']);
      const { schema, example } = requestBody.content['application/json'];
      expect(example.type).toBe(type);
      const sent = own
        .filter((event) => event.type === type)
        .map((event) => JSON.parse(writeWebhook(event, owner)));
      for (const body of [example, ...sent]) {
        expect(closed.problems(closeDocument(schema), body), type).toEqual([]);
        const other = { ...body, type: 'access_request.none' };
        expect(closed.problems(schema, other), type).not.toEqual([]);
      }
    }
    expect(operationIds.size).toBe(types.length);
  });

  it('requires a bearer token for every operation', () => {
    expect(document.components.securitySchemes[given.credential]).toMatchObject({
      type: 'http',
      scheme: 'bearer',
    });
    expect(document.security).toEqual([{ [given.credential]: [] }]);
    for (const item of Object.values<Json>(document.paths)) {
      for (const operation of Object.values<Json>(item)) {
        expect(operation.security ?? document.security).toEqual([{ [given.credential]: [] }]);
      }
    }
  });
});

it.each(contractStatuses)(
  'the document for investors has every status of the API contract for %s %s',
  (method, path, statuses) => {
    const documented = Object.keys(service.document.paths[path][method].responses).map(Number);
    expect(documented).toEqual(expect.arrayContaining(statuses));
  },
);

describe('the OpenAPI documents for code generators', () => {
  it.each([
    ['investors', service.document],
    ['companies', service.companyDocument],
  ])(
    'allow events of unknown types, and describe the events of streams, for %s',
    (_of, document) => {
      const path = Object.keys(document.paths).find((name) => name.endsWith('/events')) ?? '';
      const { content } = document.paths[path].get.responses['200'];
      const event = content['text/event-stream'].schema;
      const members = dereference(document, event).anyOf;
      expect(members.at(-1)).toEqual({ $ref: '#/components/schemas/OtherEvent' });
    },
  );

  it('write names of header parameters with capital letters, as the documentation does', () => {
    const operations = Object.values<Json>(service.document.paths).flatMap((item) =>
      Object.values<Json>(item),
    );
    const headers = operations
      .flatMap(({ parameters = [] }) => parameters)
      .filter((parameter: Json) => parameter.in === 'header');
    expect(new Set(headers.map(({ name }: Json) => name))).toEqual(
      new Set(['Idempotency-Key', 'If-None-Match']),
    );
  });
});

function walk(node: Json, visit: (node: Json) => void): void {
  if (typeof node !== 'object' || node === null) return;
  if (!Array.isArray(node)) visit(node);
  for (const child of Object.values(node)) walk(child, visit);
}
