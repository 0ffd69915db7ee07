import { errorAnswers, errorCatalogue, errorCodes } from '#http';
import { escapeHtml } from '../escape-html.ts';
import { renderPage } from './page.ts';

const introduction =
  'Every refusal carries one of these codes: in REST as <code>error.code</code>, in GraphQL as <code>extensions.code</code> of an error or <code>code</code> of an <code>AccessRefusal</code>, in tRPC as <code>data.code</code>, in MCP as <code>error.code</code> of an answer. Branch on the code; the message is for people and may change. The status is the one of REST. When you contact us, name the <code>Svc-Request-Id</code> of the response.';

/** The page that every `documentation_url` leads to, with one anchor per code. */
export function renderErrorsPage(): string {
  const index = errorCodes.map((code) => `<li><a href="#${code}"><code>${code}</code></a></li>`);
  const sections = errorCodes.map((code) => {
    const { type, message } = errorCatalogue[code];
    return `<section id="${code}">
  <h2><a href="#${code}"><code>${code}</code></a></h2>
  <dl>
    <dt>Status</dt><dd>${errorAnswers[code].status}</dd>
    <dt>Type</dt><dd><code>${type}</code></dd>
    <dt>Meaning</dt><dd>${escapeHtml(message)}</dd>
    <dt>What to do</dt><dd>${escapeHtml(errorAnswers[code].remedy)}</dd>
  </dl>
</section>`;
  });
  return renderPage(
    'Error codes',
    `<h1>Error codes</h1>
<p>${introduction}</p>
<nav class="codes" aria-label="Codes"><ul>${index.join('')}</ul></nav>
${sections.join('\n')}`,
    '/docs/errors.md',
  );
}

/** The same as Markdown. */
export function writeErrorsMarkdown(): string {
  const sections = errorCodes.map((code) => {
    const { type, message } = errorCatalogue[code];
    return `## ${code}\n\nStatus ${errorAnswers[code].status}, \`${type}\`. ${message}\n\n${errorAnswers[code].remedy}`;
  });
  return `# Error codes\n\n${introduction.replaceAll(/<\/?code>/g, '`')}\n\n${sections.join('\n\n')}\n`;
}
