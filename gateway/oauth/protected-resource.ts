import type { FastifyInstance, FastifyPluginAsync } from 'fastify';
import { scopes } from '#core';
import { refuseOtherMethods, serveStatic } from '#http';

const metadataPath = '/.well-known/oauth-protected-resource';

export const protectedPaths = ['/mcp', '/v1', '/graphql', '/trpc'] as const;

const pathPattern = new RegExp(`^(?:${protectedPaths.join('|')})(?=[/?]|$)`);

interface ProtectedResourceOptions {
  readonly authorizationServer: string;
  readonly publicUrl: () => string;
}

/**
 * Publishes which authorization server the service uses (RFC 9728). Each path has a document of its own, because strict
 * clients reject a document whose `resource` isn't the URL that they called.
 */
export const serveProtectedResource: FastifyPluginAsync<ProtectedResourceOptions> = async (
  app,
  { authorizationServer, publicUrl },
) => {
  app.addHook('onRequest', async (_request, reply) => {
    // Allows all origins, because a client can be a web page of any origin.
    reply.header('access-control-allow-origin', '*');
  });
  for (const path of ['', ...protectedPaths]) {
    const makeMetadata = () => ({
      type: 'application/json; charset=utf-8',
      bytes: Buffer.from(
        JSON.stringify({
          resource: `${publicUrl()}${path}`,
          authorization_servers: [authorizationServer],
          scopes_supported: scopes,
          bearer_methods_supported: ['header'],
          resource_name: 'Portfolio Access',
          resource_documentation: `${publicUrl()}/docs/security`,
        }),
      ),
    });
    app.get(`${metadataPath}${path}`, serveStatic(makeMetadata, publicUrl));
    refuseOtherMethods(app, `${metadataPath}${path}`, ['GET', 'HEAD']);
  }
};

/** Adds the URL of the metadata document to 401 responses, on paths that accept tokens. */
export function sendChallenges(app: FastifyInstance, publicUrl: () => string): void {
  app.addHook('onSend', (request, reply, payload, done) => {
    const { principal = 'investor' } = request.routeOptions.config;
    if (reply.statusCode === 401 && principal === 'investor') {
      const [path = ''] = pathPattern.exec(request.url) ?? [];
      const metadata = `${publicUrl()}${metadataPath}${path}`;
      const [scheme, ...rest] = String(reply.getHeader('www-authenticate') ?? 'Bearer').split(' ');
      const parameters = [...rest, `resource_metadata="${metadata}"`].join(', ');
      reply.header('www-authenticate', `${scheme} ${parameters}`);
    }
    done(null, payload);
  });
}
