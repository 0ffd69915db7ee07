import type { FastifyRequest } from 'fastify';
import { otherOperation } from '#http';
import { toolNamed } from './tools.ts';

const methods: ReadonlySet<unknown> = new Set([
  'initialize',
  'notifications/initialized',
  'ping',
  'prompts/get',
  'prompts/list',
  'server/discover',
  'tools/list',
]);

interface Message {
  readonly id?: unknown;
  readonly method?: unknown;
  readonly params?: { readonly name?: unknown } | null;
}

/** A message without an ID gets no response, so it never counts. */
export function isWaitCall(body: unknown): boolean {
  const { id, method, params } = (body ?? {}) as Message;
  return id !== undefined && method === 'tools/call' && toolNamed(params?.name)?.waits === true;
}

export function operationOfMessage({ body }: Pick<FastifyRequest, 'body'>): string {
  const { method, params } = (body ?? {}) as Message;
  const name = method === 'tools/call' ? params?.name : method;
  const isKnown = method === 'tools/call' ? toolNamed(name) !== undefined : methods.has(name);
  return isKnown ? String(name) : otherOperation;
}
