import cors, { type FastifyCorsOptions } from '@fastify/cors';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { addVary } from '#http';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** False: no page of another origin may call it. */
    cors?: false;
  }
}

/** What a page may read beside the body and what browsers show of themselves. */
const exposedHeaders = [
  'Svc-Request-Id',
  'Svc-Last-Event-Id',
  'RateLimit',
  'RateLimit-Policy',
  'RateLimit-Limit',
  'RateLimit-Remaining',
  'RateLimit-Reset',
  'Retry-After',
  'ETag',
  'Idempotent-Replayed',
  'WWW-Authenticate',
  'Deprecation',
  'Sunset',
  'Link',
];

/** For how long a browser may remember what it was allowed; browsers shorten what is too long for them. */
const maxAgeSeconds = 7_200;

/**
 * Lets pages of other origins call the service, with a key that they hold: never with credentials of the browser's own.
 * A preflight is answered before anybody is authenticated, at no cost. An origin that is not named is told nothing.
 */
export function allowOrigins(app: FastifyInstance, origins: readonly string[]): void {
  if (origins.length === 0) return;
  // The plugin's own route would be a second one for OPTIONS, which every path answers already.
  const scope: FastifyInstance = Object.create(app, { options: { value: () => app } });
  cors(scope, { delegator: (request, done) => done(null, optionsFor(request, origins)) }, raise);
  // What varies by something else has said so meanwhile.
  app.addHook('onSend', (_request, reply, payload, done) => {
    addVary(reply, 'Origin');
    done(null, payload);
  });
}

function optionsFor(
  { method, headers }: FastifyRequest,
  origins: readonly string[],
): FastifyCorsOptions {
  const { origin } = headers;
  if (origin === undefined || !origins.includes(origin)) return { origin: false };
  const preflight = method === 'OPTIONS' && 'access-control-request-method' in headers;
  // Any header may be sent, since none but Authorization opens anything.
  return {
    origin,
    methods: ['GET', 'HEAD', 'POST', 'PATCH', 'DELETE'],
    preflight,
    ...(preflight ? { maxAge: maxAgeSeconds } : { exposedHeaders }),
  };
}

function raise(error?: Error): void {
  if (error) throw error;
}
