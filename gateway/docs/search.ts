import MiniSearch, { type Options } from 'minisearch';
import { makeInThread } from '#http';
import { escapeHtml } from '../escape-html.ts';
import { renderPage } from './page.ts';
import type { Section } from './sections.ts';

/** Longer queries are cut. */
const maxQueryLength = 100;

const maxFound = 20;

const excerptLength = 200;

/** Words of questions that don't narrow a search. */
const fillers = new Set(
  'a an and are be by can do does for from how i if in is it my of on or the this to what when where which who why with you'.split(
    ' ',
  ),
);

export const indexOptions: Options<Section> = {
  idField: 'address',
  fields: ['heading', 'page', 'text'],
  storeFields: ['address', 'page', 'heading', 'text'],
  processTerm: (term) => (fillers.has(term.toLowerCase()) ? null : term.toLowerCase()),
  searchOptions: {
    boost: { heading: 4, page: 2 },
    // Short words have too many prefixes.
    prefix: (term) => term.length > 2,
    fuzzy: (term) => (term.length > 4 ? 0.2 : false),
  },
};

export interface Found extends Section {
  /** The matching words. */
  readonly terms: readonly string[];
}

/** Finds sections of the documentation. */
export type Search = (query: string) => readonly Found[];

/** The input of the indexing thread. */
export interface IndexInput {
  readonly publicUrl: string;
}

/** Builds the index in a separate thread. */
export async function createSearch(publicUrl: string): Promise<Search> {
  const input: IndexInput = { publicUrl };
  const { bytes } = await makeInThread('./search-index', import.meta, input);
  const index = await MiniSearch.loadJSONAsync(bytes.toString(), indexOptions);
  return (query) => {
    const text = query.slice(0, maxQueryLength);
    const all = index.search(text, { combineWith: 'AND' });
    const found = all.length > 0 ? all : index.search(text);
    return found.slice(0, maxFound) as unknown as Found[];
  };
}

export function renderSearchPage(query: string, found: readonly Found[]): string {
  const item = ({ address, page, heading, text, terms }: Found) =>
    `<li><a href="${address}">${escapeHtml(heading)}</a>${heading === page ? '' : ` · ${escapeHtml(page)}`}<br>${markTerms(excerptOf(text, terms), terms)}</li>`;
  const count = found.length === maxFound ? `The first ${maxFound}` : `${found.length}`;
  const told =
    query.trim() === ''
      ? 'Type a word or two: a code, a field, or what you want to do.'
      : found.length === 0
        ? 'Nothing was found. Try another word, or fewer.'
        : `${count} found.`;
  return renderPage(
    'Search',
    `<h1>Search</h1>
<p role="status">${told}</p>
<ul class="guides">
${found.map(item).join('\n')}
</ul>`,
    `/docs/search.md?q=${encodeURIComponent(query)}`,
    query,
  );
}

/** The same for language models. */
export function writeSearchMarkdown(
  query: string,
  found: readonly Found[],
  publicUrl: string,
): string {
  const lines = found.map(
    ({ address, page, heading, text, terms }) =>
      `- [${heading}](${publicUrl}${address.replace(/(?=#)|$/, '.md')}) (${page}): ${excerptOf(text, terms)}`,
  );
  return `# Search\n\n${found.length} found for ${JSON.stringify(query)}.\n\n${lines.join('\n')}\n`;
}

/** Returns a part of the text that starts shortly before the first match. */
function excerptOf(text: string, terms: readonly string[]): string {
  const at = terms.length === 0 ? 0 : Math.max(0, text.search(anyOf(terms)));
  const from = at < excerptLength / 2 ? 0 : text.lastIndexOf(' ', at - excerptLength / 4) + 1;
  const piece = text.slice(from, from + excerptLength);
  const isWhole = from + excerptLength >= text.length;
  return `${from > 0 ? '… ' : ''}${piece}${isWhole ? '' : ' …'}`;
}

const markTerms = (text: string, terms: readonly string[]): string =>
  terms.length === 0
    ? escapeHtml(text)
    : text
        .split(anyOf(terms))
        .map((part, index) =>
          index % 2 === 1 ? `<mark>${escapeHtml(part)}</mark>` : escapeHtml(part),
        )
        .join('');

/** Has a group, so that splitting keeps the matches. */
const anyOf = (terms: readonly string[]): RegExp =>
  new RegExp(`(${terms.map((term) => RegExp.escape(term)).join('|')})`, 'gi');
