import { isSpecType } from '@modelcontextprotocol/server';
import { AccessError } from '#core';
import { ProtocolError } from '#http';

/** What the protocol says of messages whose wrong parameters its library would answer as if the failure was ours. */
const isInForm: Readonly<Record<string, (message: unknown) => boolean>> = {
  initialize: isSpecType.InitializeRequest,
  'prompts/get': isSpecType.GetPromptRequest,
  'prompts/list': isSpecType.ListPromptsRequest,
  'tools/list': isSpecType.ListToolsRequest,
};

/**
 * @throws ProtocolError `batch_too_large`, because one request is one point, and `route_not_found`; AccessError
 *   `invalid_parameter`
 */
export function checkMessage(body: unknown): void {
  if (Array.isArray(body)) {
    const message = 'Several messages in one request are not served.';
    throw new ProtocolError('batch_too_large', { message });
  }
  const { method } = (body ?? {}) as { method?: unknown };
  // A stream would stay open for changes that never come: what a key may is told anew to each request.
  if (method === 'subscriptions/listen') {
    const message = 'This server has nothing to listen to.';
    throw new ProtocolError('route_not_found', { message });
  }
  const check = typeof method === 'string' && Object.hasOwn(isInForm, method) && isInForm[method];
  if (check && !check(body)) {
    const message = `The parameters of ${method} are not in the form that the protocol has for them.`;
    throw new AccessError('invalid_parameter', { message });
  }
}
