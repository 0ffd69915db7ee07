import type { SettingsChange } from '#core';
import { organisationOf } from '../components/account-menu.ts';
import { emptyState, older } from '../components/lists.ts';
import { knownWord } from '../components/request-facts.ts';
import { table } from '../components/table.ts';
import { formatExactly } from '../components/time.ts';
import type { OwnerContext, Page } from '../context.ts';
import { type Html, html, nothing } from '../html.ts';
import type { Language } from '../messages/index.ts';
import { ownActs } from '../own-acts.ts';
import { forOwners } from '../route.ts';
import { settingsPage } from './settings-page.ts';

type Value = SettingsChange['changes'][string]['from'];

const isInstant = (value: string): boolean => /^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/.test(value);

/** A value that something had or has, in words where it is one that we know. */
function told(value: Value, language: Language): Html | string {
  const { m, format } = language;
  const { log: words, keyScopes } = m.investorAdmin;
  const known = {
    ...m.settings.contacts.roles,
    ...m.settings.keys.scopes,
    ...keyScopes,
    ...m.events,
  };
  if (value === null) return words.none;
  if (typeof value === 'number') return format.number(value);
  if (typeof value !== 'string')
    return value.length === 0
      ? words.noneChosen
      : format.list(value.map((each) => knownWord(known, each)));
  return isInstant(value) ? formatExactly(new Date(value), language) : knownWord(known, value);
}

/** What is another now. What the subject's name says already, or that of the reader, is left out. */
function valuesOf(
  { type, changes, subject }: SettingsChange,
  language: Language,
  own: string,
): Html[] {
  const { log: words } = language.m.investorAdmin;
  // Of what is gone nothing has become another.
  if (/\.(?:removed|revoked)$/.test(type)) return [];
  return Object.entries(changes)
    .filter(
      ([name, { from, to }]) =>
        name !== 'replacedBy' && ![from, to].includes(own) && to !== subject.name,
    )
    .map(([name, { from, to }]) => {
      const before = from === null ? nothing : html`<bdi>${told(from, language)}</bdi> → `;
      return html`<li>${knownWord(words.names, name)}: ${before}<bdi>${told(to, language)}</bdi></li>`;
    });
}

function row(change: SettingsChange, { caller, language }: OwnerContext) {
  const { log: words } = language.m.investorAdmin;
  const { createdAt, type, subject, actor } = change;
  const values = valuesOf(change, language, organisationOf(caller));
  return [
    formatExactly(createdAt, language),
    words.types[type],
    html`<span class="long"><bdi>${subject.name}</bdi></span>`,
    html`<bdi>${actor.name ?? words.actors[actor.type]}</bdi>`,
    values.length === 0 ? nothing : html`<ul class="values long hint">${values}</ul>`,
  ];
}

async function logPage(context: OwnerContext): Promise<Page> {
  const { language, query } = context;
  const { log: words } = language.m.investorAdmin;
  const { items, nextCursor } = await ownActs(context).listOwnSettingsChanges({
    cursor: query.cursor,
  });
  const next = older('/desk/settings/log', { cursor: nextCursor }, language.m);
  return settingsPage(
    'log',
    context,
    {},
    {
      title: words.title,
      main: html`<p class="lead">${words.lead}</p>
${
  items.length === 0
    ? emptyState({ title: words.emptyTitle })
    : table({
        label: words.title,
        columns: [words.when, words.what, words.of, words.who, words.values],
        rows: items.map((each) => row(each, context)),
        isBlocks: true,
      })
}
${next ? html`<p class="actions">${next}</p>` : nothing}`,
    },
  );
}

/** What was changed in the settings of a company or an investor, by whomever. */
export const logRoutes = forOwners.get('/settings/log', logPage);
