import cors, { type FastifyCorsOptions } from '@fastify/cors';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { addVary } from '#http';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** If false, web pages of other origins may not call the route. */
    cors?: false;
  }
}

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

/** How long a browser may cache the response to a preflight request. Browsers also have their own limit. */
const maxAgeSeconds = 7_200;

/** Lets web pages of the listed origins use API keys, but never cookies. Preflight requests cost no points. */
export function allowOrigins(app: FastifyInstance, origins: readonly string[]): void {
  if (origins.length === 0) return;
  // Keeps the plugin from adding an OPTIONS route, because each path already answers OPTIONS.
  const scope: FastifyInstance = Object.create(app, { options: { value: () => app } });
  cors(scope, { delegator: (request, done) => done(null, optionsFor(request, origins)) }, raise);
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
  // A web page may send any header. Only the Authorization header gives access.
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
