import { METHODS } from 'node:http';
import fc from 'fast-check';
import { allScopes, grantable } from '../../support/contract.ts';
import {
  bodyMark,
  chance,
  type Draw,
  encode,
  type FuzzRequest,
  nastyText,
  type Pool,
  pick,
  polluting,
  prototypeNames,
  text,
  wrong,
} from './values.ts';

const words = [
  ...['companies', 'metrics', 'sources', 'accounts', 'history', 'cash_balance', 'company'],
  ...['access-requests', 'reports', 'docs', 'errors', 'v1', '..', '.', ''],
];
const brokenPercents = ['%', '%z', '%zz', '%C3', '%C3%28', '%ff%fe', '%00', '%u0041', '%25zz'];

/** Leaves out headers that Node's HTTP client interprets itself. */
const headerNames = [
  ...['accept', 'accept-encoding', 'accept-language', 'content-encoding', 'content-language'],
  ...['cookie', 'forwarded', 'idempotency-key', 'if-match', 'if-none-match', 'if-modified-since'],
  ...['origin', 'prefer', 'range', 'referer', 'svc-request-id', 'te', 'traceparent', 'user-agent'],
  ...['via', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-request-id'],
  ...['x-http-method-override', 'x-original-url', 'constructor', 'tostring', 'hasownproperty'],
];
const contentTypes = [
  ...Array<string>(40).fill('application/json'),
  ...['application/json; charset=utf-16', 'application/json;charset="', 'application/problem+json'],
  ...['application/json, text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data'],
  ...['multipart/form-data; boundary=x', 'text/plain', 'application/xml', '*/*', '/', ';', ''],
];

const latin = fc.integer({ min: 0x20, max: 0xff }).filter((code) => code !== 0x7f);
const headerText = fc.oneof(
  fc.string({ unit: latin.map((code) => String.fromCharCode(code)), maxLength: 60 }),
  fc.constantFrom('', ' ', '*/*', 'gzip', '0', '-1', '1e9', '__proto__', 'a'.repeat(3000)),
);

/** The request may break every rule of HTTP that Node's client allows breaking. */
export function malformedRequest(draw: Draw, pool: Pool, keys: readonly string[]): FuzzRequest {
  const key = () => pick(draw, keys);
  const credentials: (() => string | string[])[] = [
    ...Array(10).fill(() => `Bearer ${key()}`),
    () => [`Bearer ${key()}`, `Bearer ${key()}`],
    () => `Bearer ${key()}, Bearer ${key()}`,
    () => `Bearer\t${key()}`,
    () => `Bearer ${key().slice(0, -1)}`,
    () => draw(headerText),
  ];
  const others = Array.from({ length: draw(fc.nat({ max: 4 })) }, () => [
    pick(draw, headerNames),
    chance(draw, 20) ? [draw(headerText), draw(headerText)] : draw(headerText),
  ]);
  const headers = {
    ...Object.fromEntries(others),
    ...(chance(draw, 95) && { authorization: pick(draw, credentials)() }),
  };
  if (chance(draw, 40)) {
    const type = { 'content-type': pick(draw, contentTypes) };
    const path = '/v1/access-requests';
    return { method: 'POST', path, headers: { ...headers, ...type }, raw: body(draw, pool) };
  }
  const methods = METHODS.filter((method) => method !== 'CONNECT');
  return {
    method: chance(draw, 60) ? 'GET' : pick(draw, methods),
    path: path(draw, pool),
    headers,
    ...(chance(draw, 15) && { raw: body(draw, pool) }),
  };
}

function path(draw: Draw, pool: Pool): string {
  const part = (): string => {
    const kind = draw(fc.nat({ max: 9 }));
    if (kind < 4) return encode(text(draw, pool));
    if (kind < 8) return pick(draw, words);
    return kind === 8 ? pick(draw, brokenPercents) : draw(fc.webSegment());
  };
  const parts = () => Array.from({ length: draw(fc.nat({ max: 7 })) }, part).join('/');
  const paths: (() => string)[] = [
    ...['/v1/companies', '/v1/access-requests', '/v1/reports', '/v1/openapi.json'].map(
      (known) => () => known,
    ),
    ...['metrics', 'sources', 'accounts'].map((what) => () => `/v1/companies/${part()}/${what}`),
    () => `/v1/companies/${part()}/metrics/${part()}`,
    () => `/v1/companies/${part()}/metrics/${part()}/history`,
    () => `/v1/${parts()}`,
    () => `/${parts()}`,
    () => `http://other.example/${parts()}`,
  ];
  const parameter = () => {
    const known = ['status', 'status[]', 'status[a]', 'limit', 'api_key', ...prototypeNames];
    const name = chance(draw, 70) ? pick(draw, known) : encode(text(draw, pool));
    return `${name}=${chance(draw, 20) ? pick(draw, brokenPercents) : encode(text(draw, pool))}`;
  };
  const query = Array.from({ length: draw(fc.nat({ max: 3 })) }, parameter).join('&');
  return `${pick(draw, paths)()}${query === '' ? '' : `?${query}`}`.slice(0, 12_000);
}

/** Valid and invalid fields are mixed, so most bodies pass the first checks. */
function body(draw: Draw, pool: Pool): string | Buffer {
  const almostRight = JSON.stringify({
    company_id: chance(draw, 70) ? pick(draw, pool.ids) : wrong(draw),
    scopes: chance(draw, 70)
      ? draw(fc.subarray([...grantable], { minLength: 1 }))
      : chance(draw, 50)
        ? draw(fc.subarray([...allScopes]))
        : wrong(draw),
    purpose: chance(draw, 75) ? draw(nastyText) : wrong(draw),
    ...(chance(draw, 25) && { note: bodyMark }),
  });
  const depth = draw(fc.integer({ min: 1, max: 20_000 }));
  const bodies: (() => string | Buffer)[] = [
    ...Array(8).fill(() => almostRight),
    () => polluting(almostRight),
    () => almostRight.slice(0, draw(fc.nat({ max: 60 }))),
    () => draw(fc.json({ maxDepth: 4 })),
    () => Buffer.from(draw(fc.uint8Array({ maxLength: 200 }))),
    () => `${'['.repeat(depth)}"${bodyMark}"${']'.repeat(depth)}`,
    () => `${'{"a":'.repeat(depth)}"${bodyMark}"${'}'.repeat(depth)}`.slice(0, 65_536),
    () => `{"company_id":${'9'.repeat(5000)}}`,
    () => `{"company_id":1e99999,"note":"${bodyMark}"}`,
    () => `{"purpose":"${bodyMark.repeat(6000)}"}`,
  ];
  return pick(draw, bodies)();
}
