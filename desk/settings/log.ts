import type { SettingsChange } from '#core';
import { organisationOf } from '../components/account-menu.ts';
import { emptyState, older } from '../components/lists.ts';
import { table } from '../components/table.ts';
import { formatExactly } from '../components/time.ts';
import type { OwnerContext, Page } from '../context.ts';
import { html, nothing } from '../html.ts';
import type { Messages } from '../messages/index.ts';
import { ownActs } from '../own-acts.ts';
import { forOwners } from '../route.ts';
import { settingsPage } from './settings-page.ts';

type Words = Messages['investorAdmin']['log'];

type Value = SettingsChange['changes'][string]['from'];

/** What is another now. What the subject's name says already, or that of the reader, is left out. */
function valuesOf({ changes, subject }: SettingsChange, words: Words, own: string): string {
  const told = (value: Value) =>
    Array.isArray(value) ? value.join(', ') : String(value ?? words.none);
  return Object.entries(changes)
    .map(([name, { from, to }]) => ({ name, from: told(from), to: told(to) }))
    .filter(({ from, to }) => from !== to && ![from, to].includes(own) && to !== subject.name)
    .map(({ name, from, to }) =>
      from === words.none ? `${name}: ${to}` : words.value(name, from, to),
    )
    .join('; ');
}

function row(change: SettingsChange, { caller, language }: OwnerContext) {
  const { log: words } = language.m.investorAdmin;
  const { createdAt, type, subject, actor } = change;
  return [
    formatExactly(createdAt, language),
    words.types[type],
    html`<bdi>${subject.name}</bdi>`,
    html`<bdi>${actor.name ?? words.actors[actor.type]}</bdi>`,
    html`<span class="hint" dir="auto">${valuesOf(change, words, organisationOf(caller))}</span>`,
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
