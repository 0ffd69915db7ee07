import type { FastifyRequest } from 'fastify';
import { otherOperation } from '#http';
import { tools } from './tools.ts';

const methods: ReadonlySet<unknown> = new Set([
  'initialize',
  'notifications/initialized',
  'ping',
  'server/discover',
  'tools/list',
]);

const toolNames: ReadonlySet<unknown> = new Set(tools.map(({ name }) => name));

interface Message {
  readonly method?: unknown;
  readonly params?: { readonly name?: unknown } | null;
}

/** What the message of a request asks for: a tool by its name, or a method of the protocol. */
export function operationOfMessage({ body }: Pick<FastifyRequest, 'body'>): string {
  const { method, params } = (body ?? {}) as Message;
  const name = method === 'tools/call' ? params?.name : method;
  const isKnown = method === 'tools/call' ? toolNames.has(name) : methods.has(name);
  return isKnown ? String(name) : otherOperation;
}
