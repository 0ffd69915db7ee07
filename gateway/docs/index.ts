import { hash } from 'node:crypto';
import scalar from '@scalar/fastify-api-reference';
import { type FastifyPluginAsync, fastify } from 'fastify';
import { type StaticContent, serveStatic } from '#http';
import { renderErrorsPage } from './errors-page.ts';

const references = {
  '/docs/': { title: 'Portfolio Data Access API', document: '/v1/openapi.json' },
  '/docs/company': { title: 'Portfolio Access company API', document: '/company/v1/openapi.json' },
} as const;

/** The references and the page of error codes, served by the service itself: nothing is loaded from elsewhere. */
export const serveDocs: FastifyPluginAsync = async (app) => {
  app.addHook('onRoute', (route) => {
    route.config = { ...route.config, open: true };
  });
  app.get('/docs', (_request, reply) => reply.redirect('/docs/', 301));
  app.get('/docs/company/', (_request, reply) => reply.redirect('/docs/company', 301));
  for (const [path, reference] of Object.entries(references)) {
    app.get(
      path,
      serveStatic(async () => toPage(await render(reference, '/docs/'))),
    );
  }
  app.get(
    '/docs/js/scalar.js',
    serveStatic(() => render(references['/docs/'], '/docs/js/scalar.js')),
  );
  app.get(
    '/docs/errors',
    serveStatic(() => {
      const bytes = Buffer.from(renderErrorsPage());
      return toPage({ type: 'text/html; charset=utf-8', bytes });
    }),
  );
};

/** The reference's plugin would send its script of megabytes as a text, which Node copies for every connection. */
async function render(
  { title, document }: (typeof references)[keyof typeof references],
  path: string,
): Promise<StaticContent> {
  const app = fastify();
  await app.register(scalar, {
    routePrefix: '/docs',
    configuration: {
      url: document,
      pageTitle: title,
      withDefaultFonts: false,
      telemetry: false,
      hideClientButton: true,
      showDeveloperTools: 'never',
      agent: { disabled: true },
      mcp: { disabled: true },
    },
  });
  const { statusCode, headers, rawPayload } = await app.inject(path);
  await app.close();
  if (statusCode !== 200) throw new Error(`the reference answers ${path} with ${statusCode}`);
  return { type: String(headers['content-type']), bytes: rawPayload };
}

const inlineScript = /<script(?![^>]*\ssrc=)[^>]*>(.*?)<\/script>/gs;

/** A page may load and call nothing but this service, and run no script but that and what stands in it. */
function toPage({ type, bytes }: StaticContent): StaticContent {
  const scripts = [...bytes.toString().matchAll(inlineScript)].map(
    ([, script = '']) => `'sha256-${hash('sha256', script, 'base64')}'`,
  );
  const policy = [
    "default-src 'none'",
    ["script-src 'self'", ...scripts].join(' '),
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
  const headers = { 'content-security-policy': policy, 'referrer-policy': 'no-referrer' };
  return { type, bytes, headers };
}
