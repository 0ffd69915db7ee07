/** Words of questions that don't narrow a search. */
const fillers = new Set(
  'a an and are be by can do does for from how i if in is it my of on or the this to what when where which who why with you'.split(
    ' ',
  ),
);

/** A section as the index stores it. */
interface Section {
  /** The titles above it. Empty for the first section of a page. */
  readonly titles: readonly string[];
}

export const fields = ['title', 'keywords', 'titles', 'text'];

/** Returns the words of a text. A code such as `access_required` is a word as well as its parts. */
export const tokenize = (text: string): string[] => [
  ...text.split(/[\n\r\p{Z}\p{P}]+/u),
  ...(text.match(/[a-z]+(?:_[a-z]+)+/gi) ?? []),
];

/**
 * The options of each search. The theme sets them in the browser, because VitePress would write functions as text, which
 * the pages' security policy forbids to run.
 */
export const searchOptions = {
  boost: { title: 5, keywords: 3, titles: 1, text: 1 },
  // Short words have too many prefixes.
  prefix: (term: string) => term.length > 2,
  fuzzy: (term: string) => (term.length > 4 ? 0.2 : false),
  tokenize,
  // Who types a whole code wants its explanation, not the pages with its parts.
  boostTerm: (term: string) => (term.includes('_') ? 10 : 1),
  processTerm: (term: string) => (fillers.has(term.toLowerCase()) ? null : term.toLowerCase()),
  /** Prefers pages to their sections, and all of them to the many error codes. */
  boostDocument: (id: string, _term: string, section?: Record<string, unknown>) => {
    if ((section as Section | undefined)?.titles.length === 0) return 2;
    return id.startsWith('/docs/errors#') ? 0.7 : 1;
  },
};
