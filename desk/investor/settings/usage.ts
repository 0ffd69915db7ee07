import { type ApiKey, isKeyLive, type OwnUsage } from '#core';
import { emptyState } from '../../components/lists.ts';
import { numbers, table } from '../../components/table.ts';
import type { InvestorContext, Page } from '../../context.ts';
import { type Html, html, nothing } from '../../html.ts';
import { forInvestors } from '../../route.ts';
import { settingsPage } from '../../settings/settings-page.ts';
import { nameOfKey } from '../activity/page.ts';

type Use = OwnUsage['uses'][number];

const sum = (uses: readonly Use[], count: (use: Use) => number): number =>
  uses.reduce((total, use) => total + count(use), 0);

interface Reader {
  readonly id: string;
  readonly name: string;
  /** Points a window; null: the budget of the pages. */
  readonly limit: number | null;
}

function usesTable(
  readers: readonly Reader[],
  uses: readonly Use[],
  { language }: InvestorContext,
): Html {
  const { m, format } = language;
  const words = m.investorAdmin.usage;
  const rows = readers.map(({ id, name, limit }) => {
    const own = uses.filter(({ keyId, contactId }) => (keyId ?? contactId) === id);
    const isRead = ({ outcome }: Use) => outcome === 'allowed';
    const read = own.filter(isRead);
    const refused = sum(
      own.filter((use) => !isRead(use)),
      ({ count }) => count,
    );
    return [
      html`<bdi>${name}</bdi>`,
      limit === null ? '–' : format.number(limit),
      format.number(sum(own, ({ lately }) => lately)),
      format.number(sum(read, ({ count }) => count)),
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
    numbers(words.refused),
  ];
  return table({ label: words.tableTitle, columns, rows, isBlocks: true });
}

function refusals(uses: readonly Use[], { language }: InvestorContext): Html {
  const { m, format } = language;
  const words = m.investorAdmin.usage;
  const byCode = Map.groupBy(uses, ({ outcome }) => outcome);
  const rows = [...byCode]
    .flatMap(([code, same]) =>
      code === 'allowed' ? [] : [{ code, count: sum(same, ({ count }) => count) }],
    )
    .toSorted((first, second) => second.count - first.count)
    .map(({ code, count }) => [
      html`<code>${code}</code>`,
      words.meanings[code],
      format.number(count),
    ]);
  return html`<section><h2>${words.refusalsTitle}</h2>
${
  rows.length === 0
    ? html`<p class="hint">${words.noRefusals}</p>`
    : table({
        label: words.refusalsTitle,
        columns: [words.code, words.meaning, numbers(words.count)],
        rows,
        isBlocks: true,
      })
}</section>`;
}

/** Keys that work or did something, then people that did. */
function readersOf(
  keys: readonly ApiKey[],
  people: ReadonlyMap<string, string>,
  { uses, usualLimit }: OwnUsage,
  { now, language: { m } }: InvestorContext,
): Reader[] {
  const active = new Set(uses.map(({ keyId, contactId }) => keyId ?? contactId));
  const ofKeys = keys
    .filter((key) => isKeyLive(key, now) || active.has(key.id))
    .map((key) => ({ id: key.id, name: nameOfKey(key), limit: key.rateLimit ?? usualLimit }));
  const persons = [...new Set(uses.map(({ contactId }) => contactId))].filter((id) => id !== null);
  const { removedPerson } = m.investorAdmin.reads;
  const ofPeople = persons.map((id) => ({
    id,
    name: people.get(id) ?? removedPerson,
    limit: null,
  }));
  return [...ofKeys, ...ofPeople];
}

async function usagePage(context: InvestorContext): Promise<Page> {
  const { caller, useCases, language } = context;
  const { m, format } = language;
  const words = m.investorAdmin.usage;
  const [usage, keys, contacts] = await Promise.all([
    useCases.investor.readOwnUsage(caller),
    useCases.investor.listOwnKeys(caller),
    useCases.investor.listOwnContacts(caller),
  ]);
  const { desk, uses, isCut } = usage;
  const people = new Map(contacts.map(({ id, email }) => [id, email] as const));
  const readers = readersOf(keys, people, usage, context);
  const { limit, spent, resetSeconds } = desk;
  return settingsPage(
    'usage',
    context,
    {},
    {
      // To count what was read takes longer than to look whether anything was.
      live: {},
      main: html`<p class="lead">${words.lead}</p>
<section><h2>${words.tableTitle}</h2>
${isCut ? html`<p class="notice">${words.cut(format.number(usage.counted))}</p>` : nothing}
${readers.length === 0 ? emptyState({ title: words.emptyTitle, text: words.empty }) : usesTable(readers, uses, context)}
<p class="hint">${words.notCounted}</p></section>
${refusals(uses, context)}
<section class="panel" aria-labelledby="pages"><h2 id="pages">${words.deskTitle}</h2>
<p>${words.desk(format.number(limit - spent), format.number(limit), format.number(resetSeconds))}</p></section>`,
    },
  );
}

export const usageRoutes = [forInvestors.get('/settings/usage', usagePage)];
