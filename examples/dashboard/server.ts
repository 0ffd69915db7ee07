// Serves the dashboard. The API key stays on this server and never reaches a browser.
// KEY=svc_sk_test_… node server.ts
import { serve } from '@hono/node-server';
import { serveStatic } from '@hono/node-server/serve-static';
import { print } from 'graphql';
import { Hono } from 'hono';
import { csrf } from 'hono/csrf';
import { secureHeaders } from 'hono/secure-headers';
import { operations } from './src/operations.ts';

const { PORTFOLIO_ACCESS_URL: service = 'http://127.0.0.1:3000', KEY, PORT = '5180' } = process.env;
if (!KEY) {
  console.error('KEY must be set to the API key of an investor, as the service prints it');
  process.exit(1);
}
const authorization = `Bearer ${KEY}`;

/** The server forwards only these documents. With any document allowed, a visitor could read all data of the key. */
const documents = new Map(Object.entries(operations).map(([name, text]) => [name, print(text)]));

const passOn = ({ body, status, headers }: Response) =>
  new Response(body, {
    status,
    headers: {
      'content-type': headers.get('content-type') ?? '',
      'cache-control': 'no-store',
      ...(headers.has('retry-after') && { 'retry-after': headers.get('retry-after') ?? '' }),
    },
  });

const app = new Hono();
const self = "'self'";
const contentSecurityPolicy = { defaultSrc: [self, 'data:'], styleSrc: [self, "'unsafe-inline'"] };
app.use(secureHeaders({ contentSecurityPolicy }), csrf(), async (context, next) => {
  // Serves only known host names. Otherwise, another site could point its host name to this address and read the responses.
  const { hostname } = new URL(context.req.url);
  if (!['127.0.0.1', 'localhost'].includes(hostname)) return context.text('unknown host', 421);
  // Add your own sign-in here. Without a sign-in, each visitor sees the portfolio.
  await next();
});

app.post('/graphql', async ({ req, json }) => {
  const { operationName, variables } = await req.json();
  const query = documents.get(operationName);
  if (query === undefined) return json({ errors: [{ message: 'unknown operation' }] }, 400);
  return passOn(
    await fetch(`${service}/graphql`, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify({ query, operationName, variables }),
    }),
  );
});

/** A browser that reconnects sends the ID of its last event. */
app.get('/events', async ({ req }) => {
  const last = req.header('last-event-id');
  const url = `${service}/v1/events${last ? `?after=${encodeURIComponent(last)}` : ''}`;
  const headers = { authorization, accept: 'text/event-stream' };
  const answer = await fetch(url, { headers, signal: req.raw.signal });
  if (answer.status !== 429) return passOn(answer);
  // The browser waits this long before it reconnects.
  const retry = `retry: ${answer.headers.get('retry-after') ?? 5}000\n\n`;
  return new Response(retry, { headers: { 'content-type': 'text/event-stream' } });
});

app.use(serveStatic({ root: `${import.meta.dirname}/dist` }));
app.onError(({ message }, { json }) => json({ errors: [{ message }] }, 502));

serve({ fetch: app.fetch, hostname: '127.0.0.1', port: Number(PORT) }, ({ port }) =>
  console.log(`The dashboard is at http://127.0.0.1:${port}`),
);
