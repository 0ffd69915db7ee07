import { randomBytes } from 'node:crypto';
import scalar from '@scalar/fastify-api-reference';
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import { AccessError } from '#core';
import { renderErrorsPage } from './errors-page.ts';

/** The reference and the page of error codes, served by the service itself: nothing is loaded from elsewhere. */
export const serveDocs: FastifyPluginAsync = async (app) => {
  app.addHook('onRoute', (route) => {
    route.config = { ...route.config, open: true };
  });
  const nonce = randomBytes(16).toString('base64');
  app.addHook('onRequest', async (_request, reply) => protectPage(reply, nonce));

  const errorsPage = renderErrorsPage();
  app.get('/docs/errors', (_request, reply) =>
    reply.type('text/html; charset=utf-8').send(errorsPage),
  );
  await app.register(scalar, {
    routePrefix: '/docs',
    hooks: { onRequest: requireUsableHost },
    configuration: {
      url: '/v1/openapi.json',
      pageTitle: 'Portfolio Data Access API',
      nonce,
      withDefaultFonts: false,
      telemetry: false,
      hideClientButton: true,
      showDeveloperTools: 'never',
      agent: { disabled: true },
      mcp: { disabled: true },
    },
  });
};

/** The pages may load and call nothing but this service. */
function protectPage(reply: FastifyReply, nonce: string): void {
  reply.header(
    'content-security-policy',
    [
      "default-src 'none'",
      `script-src 'self' 'nonce-${nonce}'`,
      "style-src 'self' 'unsafe-inline'",
      "img-src 'self' data:",
      "font-src 'self' data:",
      "connect-src 'self'",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ].join('; '),
  );
  reply.header('referrer-policy', 'no-referrer');
}

/** The reference's plugin builds a URL of the Host header and fails on one that is none. */
function requireUsableHost(
  request: FastifyRequest,
  _reply: FastifyReply,
  done: (error?: Error) => void,
): void {
  const isUsable = URL.canParse(request.url, `http://${request.hostname}`);
  done(
    isUsable
      ? undefined
      : new AccessError('invalid_parameter', { message: 'The Host header is not valid.' }),
  );
}
