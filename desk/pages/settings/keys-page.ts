import { addDays, type CompanyKey, isKeyLive, maxNameLength, stateOfKey } from '#core';
import { companyFields } from '../../components/layout.ts';
import { formatExactly, formatRelative } from '../../components/request-facts.ts';
import type { ContactContext, Page } from '../../context.ts';
import { toDay } from '../../decision.ts';
import { type Html, html, nothing, radio } from '../../html.ts';
import { described, type Feedback, fieldError, type Refused, settingsPage } from './components.ts';

export const path = '/desk/settings/keys';

const endPresets = [90, 365] as const;

export async function keysPage(context: ContactContext, feedback: Feedback = {}): Promise<Page> {
  const { caller, useCases, language } = context;
  const { keys: words, tabs } = language.m.settings;
  const keys = await useCases.company.listOwnKeys(caller);
  return settingsPage('keys', language.m, {
    title: tabs.keys,
    status: feedback.status ?? feedback.refused?.status ?? 200,
    isStill: feedback.notice !== undefined || feedback.refused !== undefined,
    main: html`${feedback.notice ?? nothing}
<p class="lead">${words.lead}</p>
${
  keys.length === 0
    ? html`<p class="empty">${words.empty}</p>`
    : html`<ul class="cards">${keys.map((key) => card(key, context))}</ul>`
}
${createForm(context, feedback.refused)}`,
  });
}

function card(key: CompanyKey, { language, now }: ContactContext): Html {
  const { keys: words } = language.m.settings;
  const state = stateOfKey(key, now);
  const tone = { live: 'good', rotated: 'pending', expired: '', revoked: 'bad' }[state];
  return html`<li class="card"><h2>${key.name === null ? nothing : html`<bdi>${key.name}</bdi> `}<code dir="ltr">${key.hint}</code> <span class="badge ${tone}">${words.states[state]}</span></h2>
<dl class="facts"><div><dt>${words.created}</dt><dd>${formatExactly(key.createdAt, language)}</dd></div>
<div><dt>${words.lastUsed}</dt><dd>${key.lastUsedAt === null ? words.neverUsed : formatRelative(key.lastUsedAt, now, language)}</dd></div>
<div><dt>${words.ends}</dt><dd>${key.expiresAt === null ? words.noEnd : formatExactly(key.expiresAt, language)}</dd></div></dl>
${
  isKeyLive(key, now)
    ? html`<p class="inline">${
        key.replacedBy === null
          ? html`<a class="button" href="${path}/${key.id}/rotate" aria-label="${words.rotateOf(key.hint)}">${words.rotate}</a>`
          : nothing
      }<a class="button danger" href="${path}/${key.id}/revoke" aria-label="${words.revokeOf(key.hint)}">${words.revoke}</a></p>`
    : nothing
}</li>`;
}

function createForm(context: ContactContext, refused?: Refused): Html {
  const { language, now, form } = context;
  const { m } = language;
  const { keys: words } = m.settings;
  const chosen = refused?.field === 'end' ? 'date' : 'none';
  const name = refused === undefined ? '' : (form.text('name') ?? '');
  const option = (value: string, label: string) => radio('until', value, chosen, label);
  const tomorrow = toDay(addDays(now, 1));
  return html`<section class="panel" aria-labelledby="create"><h2 id="create">${words.createTitle}</h2>
<form method="post" action="${path}/review" class="stack" novalidate>${companyFields(context)}
<label for="name">${words.name}</label>
${fieldError('name', refused)}
<p class="hint" id="name-hint">${words.nameHint}</p>
<input id="name" name="name" maxlength="${maxNameLength}" autocomplete="off" value="${name}"${described('name', refused, 'name-hint')}>
<fieldset${refused?.field === 'end' ? html` aria-describedby="end-error"` : nothing}><legend>${words.howLong}</legend>
${fieldError('end', refused)}
${option('none', words.noEnd)}
${endPresets.map((days) => option(String(days), days === 365 ? m.request.year : m.request.days(days)))}
${option('date', m.request.otherDate)}
<input type="date" name="date" min="${tomorrow}" aria-label="${m.request.otherDate}"${refused?.field === 'end' ? html` aria-invalid="true"` : nothing}></fieldset>
<button>${words.create}</button></form></section>`;
}
