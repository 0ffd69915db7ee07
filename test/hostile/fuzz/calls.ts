import fc from 'fast-check';
import type { Json } from '../../support/http-client.ts';
import { drawValue } from './json-schema.ts';
import {
  bodyMark,
  chance,
  type Draw,
  encode,
  type FuzzRequest,
  json,
  mutate,
  type Pool,
  pick,
  text,
  wrong,
} from './values.ts';

const fields = ['companyId', 'id', 'key', 'keys', 'status', 'from', 'to', 'cursor', 'limit'];
const scopes = ['metrics:read', 'sources:read', 'accounts:read', 'reports:read', 'companies:read'];

/** Draws one tRPC call, or a batch of tRPC calls. */
export function trpcRequest(draw: Draw, pool: Pool, procedures: readonly string[]): FuzzRequest {
  const name = () => (chance(draw, 4) ? encode(text(draw, pool)) : pick(draw, procedures));
  const input = (): unknown => {
    if (chance(draw, 5)) return wrong(draw);
    const given = fields
      .filter((field) => field === 'companyId' || chance(draw, 30))
      .map((field) => [field, chance(draw, 90) ? text(draw, pool) : wrong(draw)]);
    const asked = chance(draw, 30) && { scopes: draw(fc.subarray(scopes)), purpose: bodyMark };
    return { ...Object.fromEntries(given), ...asked };
  };
  const count = chance(draw, 25) ? 1 + draw(fc.nat({ max: 4 })) : 0;
  const names = Array.from({ length: Math.max(1, count) }, name).join(',');
  const inputs =
    count === 0
      ? input()
      : Object.fromEntries(Array.from({ length: count }, (_, index) => [index, input()]));
  const batch = count === 0 ? '' : 'batch=1';
  if (chance(draw, 50)) {
    const given = `input=${encode(JSON.stringify(inputs))}`;
    const path = `/trpc/${names}?${[batch, given].filter(Boolean).join('&')}`;
    return { method: 'GET', path: path.slice(0, 8_000), headers: {} };
  }
  return { method: 'POST', path: `/trpc/${names}?${batch}`.slice(0, 8_000), ...json(draw, inputs) };
}

/** Draws a call of a tool, or any other message. */
export function mcpRequest(draw: Draw, pool: Pool, tools: readonly Json[]): FuzzRequest {
  const tool = pick(draw, tools);
  const others = ['initialize', 'tools/list', 'ping', 'resources/list', 'notifications/cancelled'];
  const message = chance(draw, 85)
    ? {
        method: 'tools/call',
        params: { name: tool.name, arguments: drawValue(draw, pool, tool.inputSchema) },
      }
    : { method: pick(draw, others), params: wrong(draw) };
  const sent = JSON.stringify({ jsonrpc: '2.0', id: draw(fc.nat()), ...message });
  return {
    method: 'POST',
    path: '/mcp',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    raw: chance(draw, 5) ? mutate(draw, sent) : sent,
  };
}

const pages = [
  '',
  'requests',
  'activity',
  'activity.csv',
  'grants',
  'settings',
  'settings/keys',
  'settings/webhooks',
  'sessions',
];
const actions = ['decide', 'review', 'receipts', 'receipts.json', ''];
const filters = [
  'investor',
  'scope',
  'status',
  'since',
  'until',
  'before',
  'cursor',
  'page',
  'day',
];

export interface OpenDesk {
  readonly origin: string;
  readonly companyId: string;
  readonly csrf: string;
}

/** Draws a request for a page of the desk, or a form that the desk accepts. */
export function deskRequest(draw: Draw, pool: Pool, desk: OpenDesk): FuzzRequest {
  const value = () => encode(text(draw, pool)).slice(0, 600);
  const query = filters
    .filter(() => chance(draw, 15))
    .map((name) => `${name}=${value()}`)
    .join('&');
  const page = chance(draw, 50)
    ? pick(draw, pages)
    : `${pick(draw, ['requests', 'settings/keys', 'settings/webhooks', 'settings/contacts'])}/${value()}/${pick(draw, actions)}`;
  const path = `/desk/${page}?${query}`.slice(0, 8_000);
  if (chance(draw, 60)) return { method: 'GET', path, headers: {} };
  const decisions = ['approve', 'decline', 'revoke', 'extend', 'other'];
  const form = new URLSearchParams({
    csrf: desk.csrf,
    for_company: desk.companyId,
    decision: pick(draw, decisions),
    seen: text(draw, pool).toWellFormed(),
  });
  for (const name of ['scopes', 'expires_at', 'reason', 'name', 'url', 'email']) {
    if (chance(draw, 40)) form.append(name, text(draw, pool).toWellFormed());
  }
  return {
    method: 'POST',
    path,
    headers: { origin: desk.origin, 'content-type': 'application/x-www-form-urlencoded' },
    raw: form.toString(),
  };
}
