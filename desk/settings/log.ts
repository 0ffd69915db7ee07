import { eventTypes, type SettingsChange } from '#core';
import { organisationOf } from '../components/account-menu.ts';
import { emptyState, older } from '../components/lists.ts';
import { table } from '../components/table.ts';
import { fillMessage, formatDay, formatExactly } from '../components/time.ts';
import type { OwnerContext, Page } from '../context.ts';
import { type Html, html, nothing } from '../html.ts';
import type { Language, Messages } from '../messages/index.ts';
import { forOwners } from '../route.ts';
import { settingsPage } from './settings-page.ts';
import { eventNames } from './webhooks.ts';

type Words = Messages['settings']['log'];

type Value = SettingsChange['changes'][string]['from'];

function formatValue(
  name: keyof Words['fields'],
  value: Value,
  { m, ...language }: Language,
): Html {
  const { contacts, keys, keyScopes, log: words } = m.settings;
  if (name === 'types') {
    const types = eventTypes.filter((type) => Array.isArray(value) && value.includes(type));
    return html`${eventNames(types, { m, ...language })}`;
  }
  if (value === null) return html`${words.none}`;
  if (name === 'expiresAt') return formatDay(new Date(String(value)), { m, ...language });
  if (typeof value === 'number') return html`${language.format.number(value)}`;
  const names: Readonly<Record<string, string>> = {
    ...contacts.roles,
    ...keys.scopes,
    ...keyScopes,
    ...words.disabledReasons,
    ...(name === 'method' && m.data.methods),
  };
  const isVerbatim = name === 'metricKeys' || name === 'reason';
  const inWords = [value]
    .flat()
    .map((each) => (isVerbatim ? each : (names[String(each)] ?? String(each))));
  return html`<bdi>${name === 'name' ? String(value) : language.format.list(inWords)}</bdi>`;
}

/**
 * A created item has only new values, and a removed item only old values. For both, omits values that repeat the item's
 * name or the user's own organisation.
 */
function valuesOf(
  { changes, subject }: SettingsChange,
  { caller, language }: OwnerContext,
): readonly Html[] {
  const { log: words } = language.m.settings;
  const names = Object.keys(words.fields) as (keyof typeof words.fields)[];
  const isGone = Object.values(changes).every(({ to }) => to === null);
  const knownNames = [organisationOf(caller), subject.name];
  return names.flatMap((name) => {
    const { from = null, to = null } = changes[name] ?? {};
    const isKnownName = (from === null || isGone) && knownNames.includes(String(to ?? from));
    if (from === to || isKnownName) return [];
    const value = (one: Value) => formatValue(name, one, language);
    const shown =
      from === null
        ? value(to)
        : isGone
          ? value(from)
          : fillMessage(words.changed, value(from), value(to));
    return [fillMessage(words.value, html`${words.fields[name]}`, shown)];
  });
}

function row(change: SettingsChange, context: OwnerContext) {
  const { caller, language } = context;
  const { log: words } = language.m.settings;
  const { createdAt, type, subject, actor } = change;
  const isOwn = subject.name === organisationOf(caller);
  const values = valuesOf(change, context);
  return [
    formatExactly(createdAt, language),
    html`${words.types[type]}${isOwn ? nothing : html`<br><bdi class="hint">${subject.name}</bdi>`}`,
    actor.name === null
      ? html`<span class="sentence">${words.actors[actor.type]}</span>${actor.id === null ? nothing : html`<br><code class="id hint" dir="ltr">${actor.id}</code>`}`
      : html`<bdi>${actor.name}</bdi>`,
    values.length === 0
      ? nothing
      : html`<span class="hint" dir="auto">${values.map((each, index) => html`${index > 0 ? html`<br>` : nothing}${each}`)}</span>`,
  ];
}

async function logPage(context: OwnerContext): Promise<Page> {
  const { language, query } = context;
  const { log: words } = language.m.settings;
  const { items, nextCursor } = await context.own.listSettingsChanges({
    cursor: query.cursor,
  });
  const next = older('/desk/settings/log', { cursor: nextCursor }, language.m);
  return settingsPage('log', context, {
    title: words.title,
    main: html`<p class="lead">${words.lead}</p>
${
  items.length === 0
    ? emptyState({ title: words.emptyTitle })
    : table({
        label: words.title,
        columns: [language.m.when, language.m.what, words.who, words.values],
        rows: items.map((each) => row(each, context)),
        isBlocks: true,
      })
}
${next === nothing ? nothing : html`<p class="actions">${next}</p>`}`,
  });
}

export const logRoutes = forOwners.get('/settings/log', logPage);
