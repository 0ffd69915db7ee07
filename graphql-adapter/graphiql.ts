import { hash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ProtocolError, type StaticContent, serveStatic } from '#http';
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
  const serve = serveStatic(makePage);

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

    async send(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
      if (!graphiql) throw new ProtocolError('route_not_found');
      return serve(request, reply);
    },
  };
}

/** The page is some megabytes of script: it is read only where somebody opens it. */
async function makePage(): Promise<StaticContent> {
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
  return {
    type: 'text/html; charset=utf-8',
    bytes: Buffer.from(html),
    headers: {
      'content-security-policy': policy(scriptOf(html)),
      'referrer-policy': 'no-referrer',
      // The same address answers programs as well.
      vary: 'Accept, Accept-Encoding',
    },
  };
}

/** The page has one script, which stands in it. */
function scriptOf(html: string): string {
  const begin = '<script>';
  return html.slice(html.indexOf(begin) + begin.length, html.lastIndexOf('</script>'));
}

/** Lets that script run and no other. */
function policy(script: string): string {
  return [
    "default-src 'none'",
    `script-src 'sha256-${hash('sha256', script, 'base64')}'`,
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
