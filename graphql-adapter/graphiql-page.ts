import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { parentPort } from 'node:worker_threads';
import { renderGraphiQL } from '@graphql-yoga/render-graphiql';
import type { StaticContent } from '#http';

const welcome = `# Your API key goes with every request; reload the page to use another one.

query Dashboard {
  viewer {
    investor { name }
    environment
    rateLimit { remaining resetSeconds }
  }
  companies(first: 20) {
    nodes {
      name
      access { status approvedScopes expiresAt }
      metrics {
        ... on CompanyMetrics { metrics { label value period } }
        ... on AccessRefusal { code message }
      }
    }
  }
}
`;

async function makePage(): Promise<StaticContent> {
  const html = renderGraphiQL({
    title: 'Portfolio Data Access API',
    defaultQuery: welcome,
    // With the value `true`, the browser would store the API key.
    shouldPersistHeaders: false,
  });
  const script = await readFile(new URL('assets/key-form.js', import.meta.url), 'utf8');
  return withKeyForm(html, script);
}

const style = `<style>
  #key-form { font: 16px/1.5 system-ui, sans-serif; max-width: 28rem; margin: 20vh auto 0; padding: 0 1rem; }
  #key-form h1 { font-size: 1.25rem; }
  #key-form input, #key-form button { box-sizing: border-box; font: inherit; padding: .5rem .75rem; width: 100%; }
  #key-form button { margin-top: .75rem; }
  #key-form [role=alert] { color: #b3261e; min-height: 1.5em; }
  #graphiql, #graphiql > #root { height: 100%; }
  #graphiql > h1 { clip-path: inset(50%); height: 1px; overflow: hidden; position: absolute; width: 1px; }
  .graphiql-doc-explorer-section-content a, .graphiql-doc-explorer-root-type { color: inherit !important; display: inline-block; min-height: 24px; min-width: 24px; text-decoration: underline !important; }
  .graphiql-logo span, .graphiql-logo a, .monaco-editor .line-numbers { color: #444 !important; opacity: 1 !important; }
  @media (prefers-color-scheme: dark) {
    .graphiql-logo span, .graphiql-logo a, .monaco-editor .line-numbers, .monaco-editor .mtk8 { color: #ccc !important; }
  }
</style>`;

const form = `<main>
<form id="key-form">
  <h1>Portfolio Data Access API</h1>
  <label for="key">API key</label>
  <input id="key" type="password" autocomplete="off" spellcheck="false" required>
  <button>Open GraphiQL</button>
  <p role="alert"></p>
</form>
</main>`;

const root = '<div id="root"></div>';
const opening =
  /YogaGraphiQL\.renderYogaGraphiQL\(\s*window\.document\.querySelector\('#root'\),\s*(\{.*\}),\s*\);/;

/** GraphiQL opens after the user has sent the form. */
function withKeyForm(page: string, script: string): StaticContent {
  if (!page.includes(root) || !opening.test(page))
    throw new Error('GraphiQL’s page has an unknown form');
  const html = page
    .replace(root, () => `${style}<div id="root">${form}</div>`)
    .replace(
      opening,
      (_call, options) => `${script}
        askForKey((options) => {
          const main = document.createElement('main');
          main.id = 'graphiql';
          main.innerHTML = '<h1>GraphiQL</h1><div id="root"></div>';
          document.querySelector('#root').replaceWith(main);
          const place = main.querySelector('#root');
          // For accessibility: the library puts buttons into tabs, which the standard doesn't allow.
          new MutationObserver(() => {
            for (const each of place.querySelectorAll('.graphiql-tabs[role], .graphiql-tab[role]')) {
              each.removeAttribute('role');
              each.removeAttribute('aria-selected');
            }
          }).observe(place, { childList: true, subtree: true });
          YogaGraphiQL.renderYogaGraphiQL(place, options);
        }, ${options});`,
    );
  return {
    type: 'text/html; charset=utf-8',
    bytes: Buffer.from(html),
    headers: {
      'content-security-policy': policy(scriptOf(html)),
      'referrer-policy': 'no-referrer',
      // The page and the API have the same address, so caches must distinguish them by `Accept`.
      vary: 'Accept, Accept-Encoding',
    },
  };
}

function scriptOf(html: string): string {
  const begin = '<script>';
  return html.slice(html.indexOf(begin) + begin.length, html.lastIndexOf('</script>'));
}

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

parentPort?.postMessage(await makePage());
