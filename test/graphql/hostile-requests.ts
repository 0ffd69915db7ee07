import fc from 'fast-check';
import type { CallOptions } from '../support/http-client.ts';

export interface HostileRequest {
  readonly method: string;
  readonly path: string;
  readonly ask: CallOptions;
}

/** A part of every document and value, so that a test finds log lines that contain them. */
export const mark = 'mark-5c1e';

const names = [
  ...['viewer', 'companies', 'company', 'accessRequests', 'accessRequest', 'requestAccess'],
  ...['id', 'name', 'access', 'status', 'request', 'metrics', 'metric', 'history', 'sources'],
  ...['accounts', 'rateLimit', 'scopes', 'code', 'message', 'period', 'rawValue', 'nothing'],
  ...['__typename', '__schema', '__type', '__proto__', 'constructor', 'toString', 'then', 'fields'],
];
const types = [
  'Query',
  'Company',
  'CompanyMetrics',
  'AccessRefusal',
  'Metric',
  'Nothing',
  '__Type',
];

const nasty = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc.constantFrom('', '\u0000', 'a\u0000b', '\ud800', '\u202e\ufeff', "'; drop table company; --"),
  fc.constantFrom('__proto__', 'constructor', 'co_', 'ar_', '../..', '9'.repeat(400), mark),
  fc.nat({ max: 3000 }).map((length) => 'x'.repeat(length)),
);

function valueArbitrary(ids: readonly string[]): fc.Arbitrary<string> {
  const { value } = fc.letrec<{ value: string }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      fc.constantFrom(...ids).map((id) => JSON.stringify(id)),
      nasty.map((text) => JSON.stringify(text)),
      fc.constantFrom(
        'null',
        'true',
        '0',
        '-1',
        '1e309',
        '99999999999999999999',
        '$v',
        '$__proto__',
      ),
      fc.constantFrom('PENDING', 'METRICS_READ', '__proto__', 'constructor', '"""block"""', '""""'),
      fc.array(tie('value'), { maxLength: 3 }).map((list) => `[${list.join(' ')}]`),
      fc
        .array(
          fc.tuple(fc.constantFrom('companyId', 'scopes', 'purpose', '__proto__'), tie('value')),
        )
        .map((fields) => `{${fields.map(([name, inner]) => `${name}: ${inner}`).join(' ')}}`),
    ),
  }));
  return value;
}

/** Generates documents that are almost valid, so that they pass more checks than random text. */
function documentArbitrary(ids: readonly string[]): fc.Arbitrary<string> {
  const value = valueArbitrary(ids);
  const name = fc.constantFrom(...names);
  const argument = fc
    .tuple(fc.constantFrom('id', 'key', 'keys', 'status', 'from', 'input', '__proto__'), value)
    .map(([key, given]) => `${key}: ${given}`);
  const args = fc
    .array(argument, { maxLength: 2 })
    .map((list) => (list.length === 0 ? '' : `(${list.join(', ')})`));
  const directive = fc.constantFrom('', '', '', '@include(if: $v)', '@skip(if: 1)', '@defer', '@x');
  const { set } = fc.letrec<{ set: string; selection: string }>((tie) => ({
    selection: fc.oneof(
      { maxDepth: 5 },
      name,
      fc
        .tuple(fc.constantFrom('', '', 'a: ', '__proto__: '), name, args, directive, tie('set'))
        .map((parts) => parts.join(' ')),
      fc.tuple(fc.constantFrom(...types), tie('set')).map(([type, set]) => `... on ${type} ${set}`),
      fc.constantFrom('...F', '...G', '...', '...__proto__'),
    ),
    set: fc
      .array(tie('selection'), { minLength: 0, maxLength: 5 })
      .map((selections) => `{ ${selections.join(' ')} }`),
  }));
  const fragment = fc
    .tuple(fc.constantFrom('F', 'G', '__proto__', 'on'), fc.constantFrom(...types), set)
    .map(([own, type, body]) => `fragment ${own} on ${type} ${body}`);
  const operation = fc
    .tuple(
      fc.constantFrom('', 'query', 'query A', 'mutation', 'mutation A', 'subscription', 'query A'),
      fc.constantFrom('', '', '($v: Boolean)', '($v: ID!)', '($__proto__: String, $v: [Scope!])'),
      set,
    )
    .map((parts) => parts.join(' '));
  const likely = fc.constantFrom(
    `{ companies { nodes { id name metrics { ... on CompanyMetrics { metrics { key value } } } } } }`,
    `query ($v: ID!) { company(id: $v) { metric(key: "cash_balance") { ... on Metric { value } } } }`,
    `query ($v: AccessRequestStatus) { accessRequests(status: $v) { nodes { id company { name } } } }`,
    `mutation ($v: RequestAccessInput!) { requestAccess(input: $v) { outcome } }`,
    `query ($v: [String!]) { companies { nodes { metrics(keys: $v) { __typename } } } }`,
    `query ($v: Date) { companies { nodes { metric(key: "headcount") { ... on Metric { history(from: $v) { value } } } } } }`,
  );
  const given = value.map((text) => `query { company(id: ${text}) { id name } }`);
  return fc.oneof(
    { weight: 4, arbitrary: likely },
    { weight: 2, arbitrary: given },
    {
      weight: 5,
      arbitrary: fc
        .tuple(
          fc.array(operation, { minLength: 1, maxLength: 2 }),
          fc.array(fragment, { maxLength: 2 }),
        )
        .map(([operations, fragments]) => [...operations, ...fragments].join('\n')),
    },
    { weight: 1, arbitrary: nasty },
    { weight: 1, arbitrary: fc.nat({ max: 20_000 }).map((levels) => '{a'.repeat(levels)) },
    {
      weight: 1,
      arbitrary: fc.nat({ max: 30 }).map((levels) => `${'{a'.repeat(levels)}${'}'.repeat(levels)}`),
    },
  );
}

const inputArbitrary = (ids: readonly string[]) =>
  fc.record({
    companyId: fc.oneof(fc.constantFrom(...ids, ''), nasty),
    scopes: fc.oneof(
      fc.constantFrom(['METRICS_READ'], ['REPORTS_READ'], [], null),
      fc.array(nasty, { maxLength: 2 }),
    ),
    purpose: fc.oneof(nasty, fc.constantFrom(mark, null)),
  });

const variableArbitrary = (ids: readonly string[]) =>
  fc.oneof(
    fc.constantFrom(...ids, 'PENDING', '2026-10-31', '0000-00-00', '2026-02-30', null, true, 1e300),
    nasty,
    fc.array(nasty, { maxLength: 3 }),
    inputArbitrary(ids),
    fc.jsonValue({ maxDepth: 4 }),
  );

export function hostileRequest(
  keys: readonly (string | null)[],
  ids: readonly string[],
): fc.Arbitrary<HostileRequest> {
  const key = fc.constantFrom(...keys);
  const variable = variableArbitrary(ids);
  const document = documentArbitrary(ids);
  const accept = fc.constantFrom(
    ...['application/json', 'application/graphql-response+json', '*/*', '', 'text/event-stream'],
    ...['text/html', 'multipart/mixed', ';;,q=,', 'application/json;q=0'],
  );
  const operation = fc.oneof(
    {
      weight: 8,
      arbitrary: fc.record(
        {
          query: document,
          variables: fc.record({ v: variable }),
          operationName: fc.constantFrom(null, 'A', '__proto__', '', mark),
          extensions: fc.constantFrom(
            null,
            {},
            { persistedQuery: { version: 1, sha256Hash: mark } },
          ),
        },
        { requiredKeys: ['query', 'variables'] },
      ),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        query: fc.constant(
          'mutation ($v: RequestAccessInput!) { requestAccess(input: $v) { outcome } }',
        ),
        variables: fc.record({ v: inputArbitrary(ids) }),
      }),
    },
    { weight: 1, arbitrary: fc.record({ query: document, variables: fc.jsonValue() }) },
    { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
  );
  const polluting = fc
    .tuple(document, fc.constantFrom('__proto__', 'constructor', 'prototype'))
    .map(
      ([query, name]) =>
        `{"query":${JSON.stringify(query)},"${name}":{"polluted":1},"variables":{"v":{"${name}":{"polluted":1}},"${name}":{"polluted":1}}}`,
    );
  const post = fc
    .tuple(
      fc.oneof(
        { weight: 8, arbitrary: operation.map((body): CallOptions => ({ body })) },
        {
          weight: 2,
          arbitrary: fc
            .array(operation, { maxLength: 12, size: 'max' })
            .map((body): CallOptions => ({ body })),
        },
        { weight: 1, arbitrary: polluting.map((raw): CallOptions => ({ raw })) },
        {
          weight: 1,
          arbitrary: fc
            .uint8Array({ maxLength: 300 })
            .map((raw): CallOptions => ({ raw: Buffer.from(raw) })),
        },
        { weight: 1, arbitrary: nasty.map((raw): CallOptions => ({ raw })) },
      ),
      fc.constantFrom(
        'application/json',
        'application/json',
        'application/json',
        'text/plain',
        'x',
      ),
    )
    .map(([ask, type]) => ({
      method: 'POST',
      path: '/graphql',
      ask: { ...ask, headers: { 'content-type': type } },
    }));
  const get = fc
    .tuple(fc.constantFrom('GET', 'HEAD', 'DELETE', 'PUT', 'OPTIONS'), document, variable)
    .map(([method, query, v]) => {
      const parameters = { query: query.toWellFormed(), variables: JSON.stringify({ v }) };
      const path = `/graphql?${new URLSearchParams(parameters)}`.slice(0, 8000);
      return { method, path, ask: {} };
    });
  const lost = fc
    .tuple(fc.constantFrom('GET', 'POST'), fc.webPath(), fc.webQueryParameters())
    .map(([method, path, query]) => ({ method, path: `/graphql${path}?${query}`, ask: {} }));
  return fc
    .tuple(
      fc.oneof(
        { weight: 8, arbitrary: post },
        { weight: 3, arbitrary: get },
        { weight: 1, arbitrary: lost },
      ),
      key,
      accept,
    )
    .map(([{ method, path, ask }, secret, form]) => ({
      method,
      path,
      ask: { ...ask, key: secret, headers: { ...('headers' in ask && ask.headers), accept: form } },
    }));
}
