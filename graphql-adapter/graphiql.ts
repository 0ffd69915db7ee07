import { randomBytes } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AccessError } from '#core';
import { acceptsPage } from './media-type.ts';
import type { GraphqlSettings } from './settings.ts';

const welcome = `# Write your API key below, under Headers, then send this query.

query Dashboard {
  viewer {
    investor { name }
    environment
    rateLimit { remaining resetSeconds }
  }
  companies {
    name
    access { status approvedScopes expiresAt }
    metrics {
      ... on CompanyMetrics { metrics { label value period } }
      ... on AccessRefusal { code message }
    }
  }
}
`;

/** GraphiQL in one page with all that it needs: nothing is loaded from elsewhere. */
export function createPage({ graphiql }: Pick<GraphqlSettings, 'graphiql'>) {
  const nonce = randomBytes(16).toString('base64');
  let page: Promise<string> | undefined;

  return {
    /**
     * A browser wants the page, which tells nothing and so needs no credential; also when the page has put what was
     * typed into its address.
     */
    isWanted({ method, headers, query }: FastifyRequest): boolean {
      const isRead = method === 'GET' || method === 'HEAD';
      const hasOperation = Object.hasOwn(query as object, 'query');
      return isRead && acceptsPage(headers.accept) && (graphiql || !hasOperation);
    },

    async send(_request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
      if (!graphiql) throw new AccessError('route_not_found');
      page ??= render(nonce);
      return reply
        .header('content-security-policy', policy(nonce))
        .header('referrer-policy', 'no-referrer')
        .header('cache-control', 'no-store')
        .type('text/html; charset=utf-8')
        .send(await page);
    },
  };
}

/** The page is some megabytes of script: it is read only where somebody opens it. */
async function render(nonce: string): Promise<string> {
  const { renderGraphiQL } = await import('@graphql-yoga/render-graphiql');
  const html = renderGraphiQL({
    title: 'Portfolio Data Access API',
    defaultQuery: welcome,
    // No character that a header cannot hold, or the browser would send nothing at all.
    headers: JSON.stringify({ Authorization: 'Bearer YOUR_API_KEY' }, null, 2),
    defaultEditorToolsVisibility: 'headers',
    // Or the key would stay in the browser's storage.
    shouldPersistHeaders: false,
  });
  return html.replace('<script>', `<script nonce="${nonce}">`);
}

function policy(nonce: string): string {
  return [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    'worker-src blob:',
    "style-src 'unsafe-inline'",
    'img-src data:',
    'font-src data:',
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}
