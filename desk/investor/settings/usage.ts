import { type ApiKey, isKeyLive, type OwnUsage } from '#core';
import { emptyState } from '../../components/lists.ts';
import { numbers, table } from '../../components/table.ts';
import type { InvestorContext, Page } from '../../context.ts';
import { type Html, html, nothing } from '../../html.ts';
import { forInvestors } from '../../route.ts';
import { settingsPage } from '../../settings/settings-page.ts';

type Use = OwnUsage['uses'][number];

const sum = (uses: readonly Use[], count: (use: Use) => number): number =>
  uses.reduce((total, use) => total + count(use), 0);

const countOf = (uses: readonly Use[]): number => sum(uses, ({ count }) => count);

interface Reader {
  readonly id: string;
  readonly name: string;
  /** The last characters of the key, if the key has a name. Null for an unnamed key and for a person. */
  readonly hint: string | null;
  readonly limit: number;
  readonly uses: readonly Use[];
}

function usesTable(readers: readonly Reader[], { language }: InvestorContext): Html {
  const { m, format } = language;
  const words = m.settings.usage;
  const rows = readers.map(({ id, name, hint, limit, uses }) => {
    const read = countOf(uses.filter(({ outcome }) => outcome === 'allowed'));
    const refused = countOf(uses) - read;
    return [
      html`<bdi>${name}</bdi>${hint === null ? nothing : html`<br><code class="hint" dir="ltr">${hint}</code>`}`,
      format.number(limit),
      format.number(sum(uses, ({ recentCount }) => recentCount)),
      format.number(read),
      refused === 0
        ? format.number(0)
        : html`<a href="/desk/activity?who=${id}&outcome=refused">${format.number(refused)}<span class="visually-hidden">${words.showOf(name)}</span></a>`,
    ];
  });
  const columns = [
    words.who,
    numbers(words.limit),
    numbers(words.lately),
    numbers(words.reads),
    numbers(m.activity.refused),
  ];
  return table({ label: words.tableTitle, columns, rows, isBlocks: true });
}

function refusals(uses: readonly Use[], { language }: InvestorContext): Html {
  const { m, format } = language;
  const words = m.settings.usage;
  const byCode = Map.groupBy(uses, ({ outcome }) => outcome);
  const rows = [...byCode]
    .flatMap(([code, same]) => (code === 'allowed' ? [] : [{ code, count: countOf(same) }]))
    .toSorted((first, second) => second.count - first.count)
    .map(({ code, count }) => [
      html`<span class="long">${words.meanings[code]}</span>`,
      html`<code>${code}</code>`,
      code === 'invalid_api_key'
        ? format.number(count)
        : html`<a href="/desk/activity?outcome=${code}">${format.number(count)}<span class="visually-hidden">${words.showOf(code)}</span></a>`,
    ]);
  return html`<section><h2>${words.refusalsTitle}</h2>
${
  rows.length === 0
    ? html`<p class="hint">${words.noRefusals}</p>`
    : table({
        label: words.refusalsTitle,
        columns: [words.meaning, words.code, numbers(words.count)],
        rows,
        isBlocks: true,
      })
}</section>`;
}

/**
 * Lists every live key. Lists an ended key or a person only if it has reads or refused reads. The most active reader
 * comes first.
 */
function readersOf(
  keys: readonly ApiKey[],
  people: ReadonlyMap<string, string>,
  { uses, defaultLimit }: OwnUsage,
  { now, language: { m } }: InvestorContext,
): Reader[] {
  const byReader = Map.groupBy(uses, ({ keyId, contactId }) => keyId ?? contactId);
  const usesOf = (id: string) => byReader.get(id) ?? [];
  const ofKeys = keys
    .filter((key) => isKeyLive(key, now) || byReader.has(key.id))
    .map(({ id, name, hint, rateLimit }) => ({
      id,
      name: name ?? hint,
      hint: name === null ? null : hint,
      limit: rateLimit ?? defaultLimit,
      uses: usesOf(id),
    }));
  const persons = [...new Set(uses.map(({ contactId }) => contactId))].filter((id) => id !== null);
  const ofPeople = persons.map((id) => ({
    id,
    name: people.get(id) ?? m.ownReads.removedPerson,
    hint: null,
    limit: defaultLimit,
    uses: usesOf(id),
  }));
  return [...ofKeys, ...ofPeople].toSorted((one, other) => countOf(other.uses) - countOf(one.uses));
}

async function usagePage(context: InvestorContext): Promise<Page> {
  const { caller, useCases, language } = context;
  const { m, format } = language;
  const words = m.settings.usage;
  const [usage, keys, contacts] = await Promise.all([
    useCases.investor.readOwnUsage(caller),
    useCases.investor.listOwnKeys(caller),
    useCases.investor.listOwnContacts(caller),
  ]);
  const { desk, uses, isCut } = usage;
  const people = new Map(contacts.map(({ id, email }) => [id, email] as const));
  const readers = readersOf(keys, people, usage, context);
  const { limit, spent, resetSeconds } = desk;
  return settingsPage('usage', context, {
    // New reads don't refresh this page, because counting all reads takes longer than checking for new ones.
    live: {},
    main: html`<p class="lead">${words.lead}</p>
<section class="panel" aria-labelledby="pages"><h2 id="pages">${words.deskTitle}</h2>
<p><progress max="${limit}" value="${limit - spent}" aria-labelledby="pages"></progress> ${words.desk(format.number(limit - spent), format.number(limit), format.seconds(resetSeconds))}</p></section>
<section><h2>${words.tableTitle}</h2>
${isCut ? html`<p class="notice">${words.cut(format.number(usage.counted))}</p>` : nothing}
${readers.length === 0 ? emptyState({ title: words.emptyTitle, text: words.empty }) : usesTable(readers, context)}
<p class="hint">${words.notCounted}</p></section>
${refusals(uses, context)}`,
  });
}

export const usageRoutes = [forInvestors.get('/settings/usage', usagePage)];
