import { escapeHtml } from '../escape-html.ts';

const style = `
  :root { color-scheme: light dark; background: Canvas; color: CanvasText; --line: #8884; --soft: #8881; }
  body { font: 16px/1.6 system-ui, sans-serif; max-width: 46rem; margin: 2rem auto; padding: 0 1.25rem; }
  h1 { font-size: 1.75rem; line-height: 1.25; } h2 { font-size: 1.25rem; margin: 2rem 0 .5rem; } h3 { font-size: 1.05rem; }
  a { color: inherit; } img { max-width: 100%; height: auto; }
  code, pre { font-family: ui-monospace, monospace; font-size: .9em; background: var(--soft); border-radius: 4px; }
  code { padding: .1em .3em; overflow-wrap: anywhere; }
  pre { padding: .75rem 1rem; overflow-x: auto; } pre code { padding: 0; background: none; overflow-wrap: normal; }
  table { display: block; overflow-x: auto; border-collapse: collapse; }
  th, td { text-align: start; vertical-align: top; padding: .35rem .75rem .35rem 0; border-bottom: 1px solid var(--line); }
  section { border-top: 1px solid var(--line); padding: 1.5rem 0; } section h2 { font-size: 1.1rem; margin: 0 0 .5rem; }
  :target { scroll-margin-top: 1rem; } section:target { background: var(--soft); margin: 0 -1rem; padding: 1.5rem 1rem; border-radius: 8px; }
  dl { display: grid; grid-template-columns: 8rem 1fr; gap: .25rem 1rem; margin: 0; } dt { opacity: .7; } dd { margin: 0; }
  .top { display: flex; flex-wrap: wrap; gap: .5rem 1rem; align-items: baseline; justify-content: space-between; }
  form { display: flex; gap: .5rem; } input, button { font: inherit; padding: .2rem .6rem; border: 1px solid #767676; border-radius: 4px; background: Field; color: FieldText; }
  input { width: 14rem; }
  .codes ul { columns: 2; list-style: none; padding: 0; } .guides li { margin: .5rem 0; }
`;

/** The icon of every page. */
export const iconPath = '/favicon.svg';

export const searchPath = '/docs/search';

/** The common part of every page's head. */
export const headLinks = (markdown: string): string =>
  `<link rel="icon" href="${iconPath}" type="image/svg+xml">
<link rel="alternate" href="${escapeHtml(markdown)}" type="text/markdown">`;

/**
 * Renders a page of the documentation.
 *
 * @param markdown the address of the Markdown version
 * @param query the search text
 */
export function renderPage(title: string, body: string, markdown: string, query = ''): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)} · Portfolio Access</title>
${headLinks(markdown)}
<style>${style}</style>
</head>
<body>
<header class="top">
<nav aria-label="Documentation"><a href="/docs/">Documentation</a> · <a href="${escapeHtml(markdown)}">This page as Markdown</a></nav>
<form action="${searchPath}" role="search"><input type="search" name="q" value="${escapeHtml(query)}" aria-label="Search the documentation" maxlength="100"><button>Search</button></form>
</header>
<main>
${body}
</main>
</body>
</html>
`;
}
