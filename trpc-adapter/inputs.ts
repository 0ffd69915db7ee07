import type { FastifyRequest } from 'fastify';
import { AccessError } from '#core';
import { ProtocolError } from '#http';

/**
 * The inputs of so many calls: of a batch by their index, in the body of a POST or the parameter of a GET.
 *
 * @throws ProtocolError `malformed_json`, AccessError `invalid_parameter`
 */
export function readInputs(request: FastifyRequest, isBatch: boolean): (index: number) => unknown {
  const input = request.method === 'POST' ? request.body : readParameter(request);
  if (!isBatch) return () => input;
  if (input === undefined) return () => undefined;
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    throw new AccessError('invalid_parameter', {
      message: 'The input of a batch must be an object with the input of each call by its index.',
    });
  }
  return (index) => (Object.hasOwn(input, index) ? input[index as keyof typeof input] : undefined);
}

function readParameter({ query }: FastifyRequest): unknown {
  const { input } = query as { input?: string | string[] };
  if (input === undefined || input === '') return undefined;
  try {
    return JSON.parse(String(input));
  } catch {
    throw new ProtocolError('malformed_json', {
      message: 'The parameter input is not valid JSON.',
    });
  }
}
