import type { FastifyContextConfig, FastifyInstance, HTTPMethods } from 'fastify';
import { ProtocolError } from './errors.ts';

/** Answers OPTIONS without a credential. Refuses other methods before the body is read. */
export function refuseOtherMethods(
  app: FastifyInstance,
  url: string,
  methods: readonly HTTPMethods[],
): void {
  const allow = [...methods, 'OPTIONS'];
  app.options(url, { config: { isPublic: true } }, (_request, reply) =>
    reply.code(204).header('allow', allow.join(', ')).send(),
  );
  app.route({
    method: app.supportedMethods.filter((method) => !allow.includes(method)) as HTTPMethods[],
    url,
    onRequest: async () => {
      throw new ProtocolError('method_not_allowed', { allow });
    },
    handler: () => undefined,
  });
}

/** Refuses unknown paths before the body is read. */
export function refuseOtherPaths(app: FastifyInstance, config: FastifyContextConfig = {}): void {
  app.all('/*', {
    config,
    onRequest: async () => {
      throw new ProtocolError('route_not_found');
    },
    handler: () => undefined,
  });
}
