import type { FastifyInstance, FastifyRequest } from 'fastify';
import { AccessError } from '#core';

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** JSON, encoded as UTF-8, and nothing else, or nothing at all: a call without an input has no body. */
export function parseJsonBody(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, parse);

  async function parse(_request: FastifyRequest, body: Buffer): Promise<unknown> {
    try {
      return body.length === 0 ? undefined : JSON.parse(utf8.decode(body));
    } catch {
      throw new AccessError('malformed_json');
    }
  }
}

/**
 * The inputs of so many calls: of a batch by their index, in the body of a POST or the parameter of a GET.
 *
 * @throws AccessError `malformed_json`, `invalid_parameter`
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
    throw new AccessError('malformed_json', { message: 'The parameter input is not valid JSON.' });
  }
}
