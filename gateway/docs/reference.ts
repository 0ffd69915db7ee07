import { fastify } from 'fastify';
import type { StaticContent } from '#http';
import type { ApiAddresses } from './addresses.ts';

/** The reference's plugin would send its script of megabytes as a text, which Node copies for every connection. */
export async function renderReference(
  { title, document }: Pick<ApiAddresses, 'title' | 'document'>,
  path: '/docs/' | '/docs/js/scalar.js',
): Promise<StaticContent> {
  // Hardly anybody reads it, and every start would pay for loading it.
  const { default: scalar } = await import('@scalar/fastify-api-reference');
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
