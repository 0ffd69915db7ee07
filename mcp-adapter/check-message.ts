import { isSpecType } from '@modelcontextprotocol/server';
import { AccessError } from '#core';
import { ProtocolError } from '#http';

/** Checks for messages whose wrong parameters the protocol's library would answer as an internal error. */
const isInForm: Readonly<Record<string, (message: unknown) => boolean>> = {
  initialize: isSpecType.InitializeRequest,
  'prompts/get': isSpecType.GetPromptRequest,
  'prompts/list': isSpecType.ListPromptsRequest,
  'tools/list': isSpecType.ListToolsRequest,
};

/**
 * @throws ProtocolError `batch_too_large`, because one request costs one point, and `route_not_found`; AccessError
 * `invalid_parameter`
 */
export function checkMessage(body: unknown): void {
  if (Array.isArray(body)) {
    const message = 'Send one message per request.';
    throw new ProtocolError('batch_too_large', { message });
  }
  const { method } = (body ?? {}) as { method?: unknown };
  // Refused, because the stream would never send anything: every request lists the tools of its key.
  if (method === 'subscriptions/listen') {
    const message = 'This server has no notifications to listen to.';
    throw new ProtocolError('route_not_found', { message });
  }
  const check = typeof method === 'string' && Object.hasOwn(isInForm, method) && isInForm[method];
  if (check && !check(body)) {
    const message = `The parameters of ${method} don’t have the form that the protocol requires.`;
    throw new AccessError('invalid_parameter', { message });
  }
}
