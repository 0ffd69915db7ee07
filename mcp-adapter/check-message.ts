import { isSpecType } from '@modelcontextprotocol/server';
import { AccessError } from '#core';
import { ProtocolError } from '#http';

/** Without these checks, the library would answer invalid parameters with an internal error. */
const isValid: Readonly<Record<string, (message: unknown) => boolean>> = {
  initialize: isSpecType.InitializeRequest,
  'prompts/get': isSpecType.GetPromptRequest,
  'prompts/list': isSpecType.ListPromptsRequest,
  'tools/list': isSpecType.ListToolsRequest,
};

/**
 * Rejects all batches, because an HTTP request costs one point, which pays for one message.
 *
 * @throws ProtocolError `batch_too_large` for a batch
 * @throws ProtocolError `route_not_found` for a subscription
 * @throws AccessError `invalid_parameter`
 */
export function checkMessage(body: unknown): void {
  if (Array.isArray(body)) {
    const message = 'Send one message per request.';
    throw new ProtocolError('batch_too_large', { message });
  }
  const { method } = (body ?? {}) as { method?: unknown };
  // The server has no notifications, so a subscription would stay silent.
  if (method === 'subscriptions/listen') {
    const message = 'This server has no notifications to listen to.';
    throw new ProtocolError('route_not_found', { message });
  }
  const check = typeof method === 'string' && Object.hasOwn(isValid, method) && isValid[method];
  if (check && !check(body)) {
    const message = `The parameters of ${method} don’t have the form that the protocol requires.`;
    throw new AccessError('invalid_parameter', { message });
  }
}
