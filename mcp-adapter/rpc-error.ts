import type { ErrorCode, WriteRefusal } from '#http';
import { presentRefusal } from './refusals.ts';

/** JSON-RPC's own number for a kind of refusal; `data.code` says more. */
const numbers: Partial<Record<ErrorCode, number>> = {
  malformed_json: -32_700,
  batch_too_large: -32_600,
  route_not_found: -32_601,
  method_not_allowed: -32_600,
  invalid_parameter: -32_602,
  internal_error: -32_603,
};

const serverError = -32_000;

/** What refuses a request before its message is carried out is an error of JSON-RPC. */
export const writeRpcError: WriteRefusal = (refusal, answering, request) => ({
  body: {
    jsonrpc: '2.0',
    id: idOf(request.body),
    error: {
      code: numbers[refusal.code] ?? serverError,
      message: refusal.message,
      data: presentRefusal(refusal, answering),
    },
  },
});

/** Of the message that is refused, as far as it was read. */
function idOf(body: unknown): string | number | null {
  const { id = null } = (body ?? {}) as { id?: unknown };
  return typeof id === 'string' || typeof id === 'number' ? id : null;
}
