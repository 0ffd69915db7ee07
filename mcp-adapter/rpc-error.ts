import type { ErrorCode, WriteRefusal } from '#http';
import { presentRefusal } from './refusals.ts';

/** The JSON-RPC number of a kind of refusal. `data.code` has the exact code. */
const numbers: Partial<Record<ErrorCode, number>> = {
  malformed_json: -32_700,
  batch_too_large: -32_600,
  route_not_found: -32_601,
  method_not_allowed: -32_600,
  invalid_parameter: -32_602,
  internal_error: -32_603,
};

const serverError = -32_000;

/** A refusal before the message is carried out is a JSON-RPC error. */
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

/** The ID of the refused message, if it was read. */
function idOf(body: unknown): string | number | null {
  const { id = null } = (body ?? {}) as { id?: unknown };
  return typeof id === 'string' || typeof id === 'number' ? id : null;
}
