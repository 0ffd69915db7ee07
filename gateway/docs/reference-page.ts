/** `name` is the text of links to the reference. */
export const apis = [
  {
    title: 'Portfolio Data Access API',
    name: 'Investor API',
    document: '/v1/openapi.json',
    alias: '/docs/openapi.json',
    reference: '/docs/reference',
  },
  {
    title: 'Portfolio Access company API',
    name: 'Company API',
    document: '/company/v1/openapi.json',
    alias: '/docs/company-openapi.json',
    reference: '/docs/company-reference',
  },
] as const;

export type Api = (typeof apis)[number];

/** Gives texts a readable contrast, and makes buttons large enough. */
export const referenceStyle = `
.light-mode { --scalar-color-2: #4d4d4d; --scalar-color-3: #5c5c5c; --scalar-color-accent: #0057a8;
  --scalar-color-green: #04603f; --scalar-color-red: #b00004; --scalar-color-yellow: #6b5200;
  --scalar-color-blue: #00558a; --scalar-color-orange: #963400; --scalar-color-query: #005a5e; }
.dark-mode { --scalar-color-2: #c4c4c4; --scalar-color-3: #b0b0b0; --scalar-color-accent: #5cc8ff;
  --scalar-color-green: #3ddc84; --scalar-color-red: #ff8a88; --scalar-color-yellow: #ffd84d;
  --scalar-color-blue: #7cc9f5; --scalar-color-orange: #ffa873; --scalar-color-query: #7be0da; }
.scalar-app button { min-width: 24px; min-height: 24px; }
:root { --scalar-custom-header-height: 3rem; }
.site { display: flex; align-items: center; gap: 1rem; height: var(--scalar-custom-header-height); padding: 0 1rem;
  white-space: nowrap;
  position: sticky; top: 0; z-index: 10; font: 0.875rem system-ui, sans-serif; color: var(--scalar-color-1);
  background: var(--scalar-background-1); border-bottom: 1px solid var(--scalar-border-color); }
.site a { color: inherit; } .site a[aria-current] { font-weight: 600; text-decoration: none; }
`;

/** Adds names to unnamed buttons for screen readers. Also lets people scroll all areas with the keyboard. */
const script = `
const mend = () => {
  for (const each of document.querySelectorAll('.custom-scroll, .endpoints, pre'))
    if (each.scrollWidth > each.clientWidth || each.scrollHeight > each.clientHeight) each.tabIndex = 0;
  for (const each of document.querySelectorAll('button:not([aria-label]):not([aria-labelledby])'))
    if (each.innerText.trim() === '' && !each.title) each.setAttribute('aria-label', 'Show or hide');
};
let isDue = false;
new MutationObserver(() => {
  if (isDue) return;
  isDue = true;
  requestAnimationFrame(() => { isDue = false; mend(); });
}).observe(document, { childList: true, subtree: true });
`;

/** Adds the language, links to the documentation and better accessibility to the page that the library creates. */
export function completeReference(html: string, { reference }: Api): string {
  const [head, body] = ['</head>', '<body>'];
  if (!html.includes(head) || !html.includes(body) || !/<html(?=>)/.test(html)) {
    throw new Error('the page of the reference has an unknown form');
  }
  return html
    .replace(/<html(?=>)/, '<html lang="en"')
    .replace(
      head,
      () => `<link rel="icon" href="/favicon.svg" type="image/svg+xml">
<link rel="alternate" href="${reference}.md" type="text/markdown">
<script>${script}</script>
${head}`,
    )
    .replace(body, () => `${body}\n${writeNavigation(reference)}`);
}

function writeNavigation(current: string): string {
  const links = apis.map(
    ({ reference, name }) =>
      `<a href="${reference}"${reference === current ? ' aria-current="page"' : ''}>${name}</a>`,
  );
  return `<nav class="site" aria-label="Documentation"><a href="/docs/">Documentation</a>${links.join('')}</nav>`;
}
