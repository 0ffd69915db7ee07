import { errorCatalogue, errorCodes, remedyOf, statusOf } from '#http';

const style = `
  :root { color-scheme: light dark; --line: #8884; --soft: #8881; }
  body { font: 16px/1.6 system-ui, sans-serif; max-width: 46rem; margin: 3rem auto; padding: 0 1.25rem; }
  h1 { font-size: 1.75rem; line-height: 1.25; }
  h2 { font-size: 1.1rem; margin: 0 0 .5rem; }
  code { font-family: ui-monospace, monospace; background: var(--soft); padding: .1em .3em; border-radius: 4px; }
  section { border-top: 1px solid var(--line); padding: 1.5rem 0; scroll-margin-top: 1rem; }
  section:target { background: var(--soft); margin: 0 -1rem; padding: 1.5rem 1rem; border-radius: 8px; }
  dl { display: grid; grid-template-columns: 8rem 1fr; gap: .25rem 1rem; margin: 0; }
  dt { opacity: .7; } dd { margin: 0; }
  nav ul { columns: 2; list-style: none; padding: 0; } a { color: inherit; }
`;

/** The page that every `documentation_url` leads to: one anchor a code. */
export function renderErrorsPage(): string {
  const index = errorCodes.map((code) => `<li><a href="#${code}"><code>${code}</code></a></li>`);
  const sections = errorCodes.map((code) => {
    const { type, message } = errorCatalogue[code];
    return `<section id="${code}">
  <h2><a href="#${code}"><code>${code}</code></a></h2>
  <dl>
    <dt>Status</dt><dd>${statusOf[code]}</dd>
    <dt>Type</dt><dd><code>${type}</code></dd>
    <dt>Meaning</dt><dd>${escapeHtml(message)}</dd>
    <dt>What to do</dt><dd>${escapeHtml(remedyOf[code])}</dd>
  </dl>
</section>`;
  });
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Error codes · Portfolio Data Access API</title>
<style>${style}</style>
</head>
<body>
<h1>Error codes</h1>
<p>Every refusal carries one of these codes: in REST as <code>error.code</code>, in GraphQL as <code>extensions.code</code> of an error or <code>code</code> of an <code>AccessRefusal</code>, in tRPC as <code>data.code</code>, in MCP as <code>error.code</code> of an answer. Branch on the code; the message is for people and may change. The status is the one of REST. When you contact us, name the <code>Svc-Request-Id</code> of the response.</p>
<p><a href="/docs/">API reference</a></p>
<nav><ul>${index.join('')}</ul></nav>
${sections.join('\n')}
</body>
</html>
`;
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
};

function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"]/g, (character) => entities[character] ?? character);
}
