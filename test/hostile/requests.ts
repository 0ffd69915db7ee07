import { METHODS } from 'node:http';
import fc from 'fast-check';
import { allScopes, grantable } from '../support/contract.ts';

export interface HostileRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Record<string, string | string[]>;
  readonly raw: string | Buffer | undefined;
}

/** Part of every body, so that a test finds log lines that contain a body. */
export const bodyMark = 'body-mark-7f3a';

interface Known {
  readonly keys: readonly string[];
  readonly companyIds: readonly string[];
}

const prototypeNames = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  'then',
];

export const nastyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({ unit: 'grapheme', maxLength: 40 }),
  fc.constantFrom(
    ...prototypeNames,
    '\u0000',
    'a\u0000b',
    '\ud800',
    '\u202e\u200b\ufeff',
    "'; drop table companies; --",
    '{{7*7}}',
    '$%7Bjndi:ldap://x%7D',
    '../../etc/passwd',
    '<script>alert(1)</script>',
    '%s%n',
    '-1',
    'null',
    'NaN',
    '1e309',
    '9'.repeat(400),
  ),
  fc.nat({ max: 6000 }).map((length) => 'x'.repeat(length)),
);

/** The texts in encodings that clients use, and in encodings that no client uses. */
export const encoded = nastyText.map((text) => encodeURIComponent(text.toWellFormed()));
const brokenPercent = fc.constantFrom(
  '%',
  '%z',
  '%zz',
  '%C3',
  '%C3%28',
  '%ff%fe',
  '%00',
  '%2',
  '%u0041',
  '%25zz',
);
const bareSegment = fc.string({
  unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)),
  maxLength: 30,
});

function segment(companyIds: readonly string[]): fc.Arbitrary<string> {
  return fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...companyIds) },
    {
      weight: 4,
      arbitrary: fc.constantFrom(
        'companies',
        'metrics',
        'sources',
        'accounts',
        'history',
        'cash_balance',
        'access-requests',
        'company',
        'reports',
        'docs',
        'errors',
        'v1',
        '..',
        '.',
        '',
      ),
    },
    { weight: 3, arbitrary: encoded },
    { weight: 1, arbitrary: brokenPercent },
    { weight: 1, arbitrary: bareSegment },
  );
}

function pathArbitrary(companyIds: readonly string[]): fc.Arbitrary<string> {
  const part = segment(companyIds);
  const known = fc.oneof(
    fc.constantFrom(
      '/v1/companies',
      '/v1/access-requests',
      '/v1/reports',
      '/v1/openapi.json',
      '/company/v1/access-requests',
      '/company/v1/openapi.json',
      '/healthz',
      '/readyz',
      '/docs/errors',
      '/',
    ),
    part.map((id) => `/v1/companies/${id}/metrics`),
    part.map((id) => `/v1/companies/${id}/sources`),
    part.map((id) => `/v1/companies/${id}/accounts`),
    fc.tuple(part, part).map(([id, key]) => `/v1/companies/${id}/metrics/${key}`),
    fc.tuple(part, part).map(([id, key]) => `/v1/companies/${id}/metrics/${key}/history`),
  );
  const any = fc.array(part, { maxLength: 7 }).map((parts) => `/${parts.join('/')}`);
  const absolute = part.map((rest) => `http://other.example/${rest}`);
  const path = fc.oneof(
    { weight: 8, arbitrary: known },
    { weight: 3, arbitrary: any },
    { weight: 1, arbitrary: any.map((rest) => `/v1${rest}`) },
    { weight: 1, arbitrary: absolute },
  );
  const parameter = fc
    .tuple(
      fc.oneof(
        fc.constantFrom('status', 'status[]', 'status[a]', 'limit', 'api_key', ...prototypeNames),
        encoded,
        brokenPercent,
      ),
      fc.oneof(fc.constantFrom('pending', 'approved', ''), encoded, brokenPercent, bareSegment),
    )
    .map(([name, value]) => `${name}=${value}`);
  const query = fc
    .array(parameter, { maxLength: 5 })
    .map((parts) => (parts.length === 0 ? '' : `?${parts.join('&')}`));
  return fc.tuple(path, query).map(([before, after]) => (before + after).slice(0, 12_000));
}

const headerValue = fc.oneof(
  fc.string({
    unit: fc
      .integer({ min: 0x20, max: 0xff })
      .filter((code) => code !== 0x7f)
      .map((code) => String.fromCharCode(code)),
    maxLength: 60,
  }),
  fc.constantFrom(...prototypeNames, '', ' ', '*/*', 'gzip', '0', '-1', '1e9', 'a'.repeat(3000)),
);

/** Names of headers. Headers that Node's client interprets are left out. */
const headerNames = [
  'accept',
  'accept-encoding',
  'accept-language',
  'content-encoding',
  'content-language',
  'cookie',
  'forwarded',
  'idempotency-key',
  'if-match',
  'if-none-match',
  'if-modified-since',
  'origin',
  'prefer',
  'range',
  'referer',
  'svc-request-id',
  'te',
  'traceparent',
  'user-agent',
  'via',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-http-method-override',
  'x-original-url',
  'x-request-id',
  ...prototypeNames.map((name) => name.toLowerCase()),
];

function authorizationArbitrary(
  keys: readonly string[],
): fc.Arbitrary<string | string[] | undefined> {
  const key = fc.constantFrom(...keys);
  return fc.oneof(
    { weight: 10, arbitrary: key.map((secret) => `Bearer ${secret}`) },
    { weight: 1, arbitrary: fc.constant(undefined) },
    {
      weight: 1,
      arbitrary: fc.tuple(key, key).map((pair) => pair.map((secret) => `Bearer ${secret}`)),
    },
    { weight: 1, arbitrary: fc.tuple(key, key).map((pair) => `Bearer ${pair.join(', ')}`) },
    { weight: 1, arbitrary: key.map((secret) => `Bearer\t${secret}`) },
    { weight: 1, arbitrary: key.map((secret) => `Bearer ${secret.slice(0, -1)}`) },
    { weight: 1, arbitrary: headerValue.map((value) => `Bearer ${value}`) },
    { weight: 1, arbitrary: headerValue },
  );
}

const contentType = fc.oneof(
  { weight: 8, arbitrary: fc.constant('application/json') },
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      'application/json; charset=utf-16',
      'application/json;charset="',
      'application/json, text/plain',
      'application/problem+json',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'multipart/form-data',
      'text/plain',
      'application/xml',
      'application/octet-stream',
      '*/*',
      '/',
      ';',
    ),
  },
  { weight: 1, arbitrary: headerValue },
);

/** Generates bodies with valid and invalid fields, so that most pass the first checks. */
function bodyArbitrary(companyIds: readonly string[]): fc.Arbitrary<string | Buffer> {
  const wrong = fc.oneof(
    nastyText,
    fc.double(),
    fc.maxSafeInteger(),
    fc.boolean(),
    fc.constant(null),
    fc.array(nastyText, { maxLength: 4 }),
    fc.dictionary(fc.oneof(fc.constantFrom(...prototypeNames), fc.string()), nastyText, {
      maxKeys: 4,
    }),
    fc.constant(Array(500).fill('metrics:read')),
  );
  const companyId = fc.oneof(
    { weight: 5, arbitrary: fc.constantFrom(...companyIds) },
    { weight: 2, arbitrary: wrong },
  );
  const scopes = fc.oneof(
    { weight: 5, arbitrary: fc.subarray([...grantable], { minLength: 1 }) },
    { weight: 1, arbitrary: fc.subarray([...allScopes]) },
    { weight: 2, arbitrary: wrong },
  );
  const purpose = fc.oneof({ weight: 3, arbitrary: nastyText }, { weight: 1, arbitrary: wrong });
  const fields = fc.record({ company_id: companyId, scopes, purpose }, { requiredKeys: [] });
  const almostRight = fc
    .tuple(fields, fc.constantFrom({}, {}, {}, { note: bodyMark }))
    .map((parts) => JSON.stringify(Object.assign({}, ...parts)));
  const polluting = almostRight.map((json) =>
    json.replace(
      '{',
      '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}},',
    ),
  );
  const anyJson = fc.json({ maxDepth: 4 });
  const deep = fc
    .tuple(
      fc.integer({ min: 1, max: 20_000 }),
      fc.constantFrom(['[', ']'] as const, ['{"a":', '}'] as const),
    )
    .map(([depth, [open, close]]) =>
      `${open.repeat(depth)}"${bodyMark}"${close.repeat(depth)}`.slice(0, 65_536),
    );
  const huge = fc.constantFrom(
    `{"company_id":${'9'.repeat(5000)}}`,
    `{"company_id":1e99999,"note":"${bodyMark}"}`,
    `{"purpose":"${bodyMark.repeat(6000)}"}`,
  );
  const cut = fc.tuple(almostRight, fc.nat({ max: 60 })).map(([json, end]) => json.slice(0, end));
  const bytes = fc.uint8Array({ maxLength: 200 }).map((array) => Buffer.from(array));
  return fc.oneof(
    { weight: 8, arbitrary: almostRight },
    { weight: 2, arbitrary: polluting },
    { weight: 2, arbitrary: anyJson },
    { weight: 1, arbitrary: deep },
    { weight: 1, arbitrary: huge },
    { weight: 2, arbitrary: cut },
    { weight: 1, arbitrary: bytes },
  );
}

/** Generates requests that Node's own HTTP client can send. Other tests write other requests as raw bytes. */
export function hostileRequest({ keys, companyIds }: Known): fc.Arbitrary<HostileRequest> {
  const methods = METHODS.filter((method) => method !== 'CONNECT');
  const method = fc.oneof(
    { weight: 5, arbitrary: fc.constant('GET') },
    { weight: 1, arbitrary: fc.constantFrom('HEAD', 'OPTIONS') },
    { weight: 2, arbitrary: fc.constantFrom(...methods) },
  );
  const extra = fc.array(
    fc.tuple(
      fc.constantFrom(...headerNames),
      fc.oneof(headerValue, fc.array(headerValue, { minLength: 2, maxLength: 3 })),
    ),
    { maxLength: 4 },
  );
  const headers = fc.tuple(authorizationArbitrary(keys), extra).map(([authorization, more]) => ({
    ...Object.fromEntries(more.filter(([name]) => name !== '__proto__')),
    ...(authorization !== undefined && { authorization }),
  }));
  const reading = fc.record({
    method,
    path: pathArbitrary(companyIds),
    headers,
    raw: fc.option(bodyArbitrary(companyIds), { nil: undefined, freq: 6 }),
  });
  const asking = fc
    .tuple(headers, fc.option(contentType, { nil: undefined, freq: 8 }), bodyArbitrary(companyIds))
    .map(([others, type, raw]) => ({
      method: 'POST',
      path: '/v1/access-requests',
      headers: { ...others, ...(type !== undefined && { 'content-type': type }) },
      raw,
    }));
  return fc.oneof({ weight: 3, arbitrary: reading }, { weight: 2, arbitrary: asking });
}
