import fc from 'fast-check';
import type { Json } from '../../support/http-client.ts';
import { drawValue, resolve } from './json-schema.ts';
import {
  bodyMark,
  chance,
  type Draw,
  encode,
  type FuzzRequest,
  json,
  mutate,
  nastyText,
  type Pool,
  pick,
  text,
} from './values.ts';

const methods = ['get', 'post', 'put', 'patch', 'delete'];

export function restRequest(draw: Draw, pool: Pool, document: Json): FuzzRequest {
  const operations = Object.entries<Json>(document.paths).flatMap(([path, item]) =>
    methods.filter((method) => item[method]).map((method) => ({ path, method, item })),
  );
  const { path, method, item } = pick(draw, operations);
  const operation = item[method];
  const parameters = [...(item.parameters ?? []), ...(operation.parameters ?? [])].map((one) =>
    resolve(one, document),
  );
  const query = new URLSearchParams();
  const headers: Record<string, string> = {};
  let target = path as string;
  for (const { name, in: place, schema, required } of parameters) {
    const given = drawValue(draw, pool, schema ?? {}, document);
    const value = typeof given === 'string' ? given : JSON.stringify(given);
    if (place === 'path') target = target.replace(`{${name}}`, encode(text(draw, pool)));
    else if (!required && !chance(draw, 20)) continue;
    else if (place === 'query') query.append(name, value.toWellFormed());
    else if (place === 'header') headers[name] = encode(value).slice(0, 200);
  }
  if (chance(draw, 4)) query.append(text(draw, pool).toWellFormed(), 'x');
  const search = query.size === 0 ? '' : `?${query}`;
  const schema = resolve(operation.requestBody, document).content?.['application/json']?.schema;
  if (schema === undefined) {
    return { method: method.toUpperCase(), path: (target + search).slice(0, 8_000), headers };
  }
  const value = drawValue(draw, pool, schema, document);
  const isMarked = typeof value === 'object' && chance(draw, 5);
  const body = json(draw, isMarked ? { ...value, note: bodyMark } : value);
  return {
    method: method.toUpperCase(),
    path: (target + search).slice(0, 8_000),
    headers: { ...headers, ...body.headers },
    raw: chance(draw, 8) ? mutate(draw, body.raw) : body.raw,
  };
}

/** Draws a request for any other path, including unknown paths. */
export function anyRequest(draw: Draw, pool: Pool): FuzzRequest {
  const open = [
    '/',
    '/docs/',
    '/docs/keys',
    '/healthz',
    '/readyz',
    '/llms.txt',
    '/.well-known/jwks.json',
  ];
  const parts = Array.from({ length: draw(fc.nat({ max: 5 })) }, () =>
    chance(draw, 50)
      ? pick(draw, ['v1', 'company', 'companies', 'metrics', 'desk', '..', 'docs'])
      : encode(text(draw, pool)),
  );
  const path = chance(draw, 30) ? pick(draw, open) : `/${parts.join('/')}`;
  const query = chance(draw, 20) ? `?${encode(draw(nastyText))}` : '';
  return {
    method: pick(draw, ['GET', 'GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH']),
    path: (path + query).slice(0, 8_000),
    headers: {},
  };
}
