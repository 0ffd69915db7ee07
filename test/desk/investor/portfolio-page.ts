import { decode, plain, rowsOf, type Seen, type Visitor } from '../desk.ts';

export interface ShownPortfolio {
  readonly seen: Seen;
  readonly rows: readonly string[];
  readonly names: readonly string[];
  readonly totals: Readonly<Record<string, number>>;
  readonly state: string;
  readonly headings: ReadonlyMap<string, string>;
  readonly sortedBy: readonly [heading: string, direction: string];
  /** Returns the address of the link with this text or relation, or null. */
  addressOf(name: string): string | null;
  /** Returns the query that the form sends if these companies are ticked. */
  choose(names: readonly string[]): URLSearchParams;
}

const linkPattern = /<a([^>]*) href="([^"]*)"([^>]*)>(.*?)<\/a>/gs;

export async function openView(person: Visitor, query = ''): Promise<ShownPortfolio> {
  return readPortfolio(await person.get(query.startsWith('/') ? query : `/desk/portfolio${query}`));
}

function readPortfolio(seen: Seen): ShownPortfolio {
  const { text } = seen;
  const links = [...text.matchAll(linkPattern)].map(
    ([, before = '', href = '', after = '', content = '']) => ({
      attributes: before + after,
      href: decode(href),
      text: plain(content),
    }),
  );
  const [, tabs = ''] = /<nav class="tabs"[^>]*>(.*?)<\/nav>/s.exec(text) ?? [];
  const states = [...tabs.matchAll(linkPattern)].map(([, before, , after, content = '']) => {
    const [, name = '', count = ''] = /^(.*) (\d+)$/.exec(plain(content)) ?? [];
    return { name, count: Number(count), isCurrent: `${before}${after}`.includes('aria-current') };
  });
  const headings = [...text.matchAll(/<th scope="col"([^>]*)>(.*?)<\/th>/gs)].map(
    ([, attributes = '', content = '']) => {
      const [, , href = '', , name = ''] = [...content.matchAll(linkPattern)][0] ?? [];
      const [, direction] = /aria-sort="([^"]*)"/.exec(attributes) ?? [];
      return { name: plain(name), href: decode(href), direction };
    },
  );
  const sorted = headings.find(({ direction }) => direction !== undefined);
  const [, table = ''] =
    /<form method="get" action="\/desk\/portfolio\/ask">(.*?)<\/form>/s.exec(text) ?? [];
  const boxes = [...table.matchAll(/name="company" value="([^"]*)".*?<bdi>(.*?)<\/bdi>/gs)].map(
    ([, id = '', name = '']) => ({ id, name: decode(name) }),
  );
  const [, metric] = /name="metric" value="([^"]*)"/.exec(table) ?? [];
  return {
    seen,
    rows: rowsOf(text),
    names: boxes.map(({ name }) => name),
    totals: Object.fromEntries(states.map(({ name, count }) => [name, count])),
    state: states.find(({ isCurrent }) => isCurrent)?.name ?? '',
    headings: new Map(headings.map(({ name, href }) => [name, href])),
    sortedBy: [sorted?.name ?? '', sorted?.direction ?? ''],
    addressOf: (name) =>
      links.find((each) => each.text === name || each.attributes.includes(`rel="${name}"`))?.href ??
      null,
    choose: (names) =>
      new URLSearchParams([
        ...(metric === undefined ? [] : [['metric', metric]]),
        ...boxes.filter(({ name }) => names.includes(name)).map(({ id }) => ['company', id]),
      ]),
  };
}
