import {
  AccessError,
  addDays,
  type CompanyKey,
  type CompanyScope,
  companyScopes,
  defaultCompanyScopes,
  isCompanyScope,
  isFutureEnd,
  isKeyLive,
  isName,
  maxNameLength,
  may,
  stateOfKey,
} from '#core';
import { checkbox, companyFields, described, fieldError, radio } from '../../components/fields.ts';
import { roleNote } from '../../components/role-note.ts';
import { formatExactly, formatRelative } from '../../components/time.ts';
import type { ContactContext, Page } from '../../context.ts';
import { alert, fact, type Html, hidden, html, nothing } from '../../html.ts';
import type { Language } from '../../messages/index.ts';
import { readEnd, toDay } from '../decision.ts';
import { settingsRoutes } from './changes.ts';
import { type Feedback, settingsPage } from './settings-page.ts';

const path = '/desk/settings/keys';
const endPresets = [90, 365];
const day = 86_400_000;

/** How long the old secret goes on working after a rotation. */
const overlaps = { day, week: 7 * day, none: 0 } as const;
const overlapNames = Object.keys(overlaps) as (keyof typeof overlaps)[];

async function keysPage(context: ContactContext, feedback: Feedback): Promise<Page> {
  const { caller, useCases, language } = context;
  const { keys: words } = language.m.settings;
  const keys = await useCases.company.listOwnKeys(caller);
  return settingsPage('keys', context, feedback, {
    main: html`<p class="lead">${words.lead}</p>
${
  keys.length === 0
    ? html`<p class="empty">${words.empty}</p>`
    : html`<ul class="cards">${keys.map((key) => card(key, context))}</ul>`
}
${may(caller, 'manage_keys') ? createForm(context, feedback.errors) : roleNote(caller, 'manage_keys', language)}`,
  });
}

const inWords = (scopes: readonly CompanyScope[], { m, format }: Language): string =>
  format.list(scopes.map((scope) => m.settings.keys.scopes[scope]));

function card(key: CompanyKey, { caller, language, now }: ContactContext): Html {
  const { keys: words } = language.m.settings;
  const { id, name, hint, scopes, source, createdAt, lastUsedAt, expiresAt, replacedBy } = key;
  const state = stateOfKey(key, now);
  const tone = { live: 'good', rotated: 'pending', expired: '', revoked: 'bad' }[state];
  const rotate = html`<a class="button" href="${path}/${id}/rotate" aria-label="${words.rotateOf(hint)}">${words.rotate}</a>`;
  const revoke = html`<a class="button danger" href="${path}/${id}/revoke" aria-label="${words.revokeOf(hint)}">${words.revoke}</a>`;
  return html`<li class="card"><h2>${name === null ? nothing : html`<bdi>${name}</bdi> `}<code dir="ltr">${hint}</code> <span class="badge ${tone}">${words.states[state]}</span></h2>
<dl class="facts">${fact(words.may, inWords(scopes, language))}
${source === null ? nothing : fact(words.source, html`<bdi>${source}</bdi>`)}
${fact(words.created, formatExactly(createdAt, language))}
${fact(words.lastUsed, lastUsedAt === null ? words.neverUsed : formatRelative(lastUsedAt, now, language))}
${fact(words.ends, expiresAt === null ? words.noEnd : formatExactly(expiresAt, language))}</dl>
${isKeyLive(key, now) && may(caller, 'manage_keys') ? html`<p class="inline">${replacedBy === null ? rotate : nothing}${revoke}</p>` : nothing}</li>`;
}

function createForm(context: ContactContext, errors: Feedback['errors']): Html {
  const { now, form } = context;
  const { m } = context.language;
  const { keys: words } = m.settings;
  const endError = errors?.end;
  const scopesError = errors?.scopes;
  const chosen = errors ? form.all('scopes') : defaultCompanyScopes;
  const option = (value: string, label: string) =>
    radio('until', value, endError === undefined ? 'none' : 'date', label);
  return html`<section class="panel" aria-labelledby="create"><h2 id="create">${words.createTitle}</h2>
<form method="post" action="${path}/review" class="stack" novalidate>${companyFields(context)}
<label for="name">${words.name}</label>
${fieldError('name', errors?.name)}
<p class="hint" id="name-hint">${words.nameHint}</p>
<input id="name" name="name" maxlength="${maxNameLength}" autocomplete="off" value="${errors && form.text('name')}"${described('name', errors?.name, 'name-hint')}>
<fieldset${scopesError && html` aria-describedby="scopes-error"`}><legend>${words.whatMay}</legend>
${fieldError('scopes', scopesError)}
${companyScopes.map((scope) => checkbox('scopes', scope, chosen.includes(scope), words.scopes[scope]))}</fieldset>
<fieldset${endError && html` aria-describedby="end-error"`}><legend>${words.howLong}</legend>
${fieldError('end', endError)}
${option('none', words.noEnd)}
${endPresets.map((days) => option(String(days), days === 365 ? m.request.year : m.request.days(days)))}
${option('date', m.request.otherDate)}
<input type="date" name="date" min="${toDay(addDays(now, 1))}" aria-label="${m.request.otherDate}"${endError && html` aria-invalid="true"`}></fieldset>
<button>${words.create}</button></form></section>`;
}

interface NewKey {
  readonly name: string | undefined;
  readonly scopes: readonly CompanyScope[];
  readonly expiresAt: Date | null;
}

/** The key that the form asks for, or what of it cannot be. */
function readNewKey({ form, now, language: { m } }: ContactContext): NewKey | Feedback {
  const name = form.text('name');
  if (name !== undefined && !isName(name)) return { errors: { name: m.settings.keys.nameError } };
  const scopes = form.all('scopes').filter(isCompanyScope);
  if (scopes.length === 0) return { errors: { scopes: m.settings.keys.scopesError } };
  if (form.text('expires_at') === undefined && form.text('until') === 'none')
    return { name, scopes, expiresAt: null };
  const expiresAt = readEnd(form, now);
  return expiresAt !== null && isFutureEnd(expiresAt, now)
    ? { name, scopes, expiresAt }
    : { errors: { end: m.request.dateError } };
}

async function findKey({ useCases, caller, id }: ContactContext): Promise<CompanyKey> {
  const keys = await useCases.company.listOwnKeys(caller);
  const key = keys.find((each) => each.id === id);
  if (key === undefined) throw new AccessError('company_key_not_found');
  return key;
}

export const keyRoutes = settingsRoutes({
  path: '/settings/keys',
  permission: 'manage_keys',
  show: keysPage,
  done: ({ keys: { revoked } }) => ({ revoked }),
  refusals: ({ keys: words }, m) => ({
    invalid_parameter: { errors: { end: m.request.dateError } },
    company_key_limit: { notice: alert(words.refused, words.limit) },
    company_key_conflict: { notice: alert(words.refused, words.conflict) },
  }),
  changes: [
    {
      path: '/settings/keys',
      formPath: '/settings/keys/review',
      isOnce: true,
      review(context, { keys: words }) {
        const { caller, language } = context;
        const key = readNewKey(context);
        if (!('expiresAt' in key)) return key;
        const { name, scopes, expiresAt: end } = key;
        return {
          title: words.createReview,
          text: [
            ...(name === undefined ? [] : [html`${words.name}: <bdi>${name}</bdi>`]),
            words.createText(caller.companyName, inWords(scopes, language)),
            end === null ? words.createNoEnd : words.createEnd(language.format.dateTime(end)),
          ],
          button: words.confirmCreate,
          tone: 'primary',
          fields: html`${name && hidden('name', name)}${scopes.map((scope) => hidden('scopes', scope))}${
            end === null ? hidden('until', 'none') : hidden('expires_at', end.toISOString())
          }`,
        };
      },
      async make(context, { keys: words }) {
        const key = readNewKey(context);
        if (!('expiresAt' in key)) return key;
        const { secret } = await context.useCases.company.createOwnKey(context.caller, key);
        return { title: words.newTitle, text: words.newText, secret };
      },
    },
    {
      path: '/settings/keys/:id/rotate',
      isOnce: true,
      async review(context, { keys: words }) {
        const { hint } = await findKey(context);
        return {
          title: words.rotateReview(hint),
          text: [words.rotateText],
          button: words.confirmRotate,
          tone: 'primary',
          fields: html`<fieldset><legend>${words.overlap}</legend>${overlapNames.map((each) =>
            radio('overlap', each, 'day', words.overlaps[each]),
          )}</fieldset>`,
        };
      },
      async make({ caller, useCases, id, form }, { keys: words }) {
        const overlap = overlapNames.find((each) => each === form.text('overlap')) ?? 'day';
        const { secret } = await useCases.company.rotateOwnKey(caller, {
          id,
          overlapMilliseconds: overlaps[overlap],
        });
        return { title: words.newTitle, text: words.rotatedText, secret };
      },
    },
    {
      path: '/settings/keys/:id/revoke',
      async review(context, { keys: words }) {
        const { hint } = await findKey(context);
        return {
          title: words.revokeReview(hint),
          text: [words.revokeText],
          button: words.confirmRevoke,
          tone: 'danger',
        };
      },
      async make({ caller, useCases, id }) {
        await useCases.company.revokeOwnKey(caller, { id });
        return { to: `${path}?done=revoked` };
      },
    },
  ],
});
