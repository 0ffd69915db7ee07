import { AccessError, type CompanyKey, isFutureEnd, isKeyLive, isName, stateOfKey } from '#core';
import { statusOf } from '#http';
import type { ContactContext, Page } from '../../context.ts';
import { readEnd } from '../../decision.ts';
import { type Html, html, nothing } from '../../html.ts';
import { companyFields } from '../../parts/layout.ts';
import { alert, success } from '../../parts/notice.ts';
import { doneAlreadyPage, isFirstTime, onceField } from '../../parts/once.ts';
import { exactly, when } from '../../parts/request-facts.ts';
import type { Route } from '../../route.ts';
import { attempt } from './attempt.ts';
import { confirmationPage } from './confirmation.ts';
import { described, fieldError, type Refused, settingsPage } from './parts.ts';
import { secretPage } from './secret.ts';

const path = '/desk/settings/keys';
const day = 86_400_000;

/** How long the old secret goes on working after a rotation. */
const overlaps = { day, week: 7 * day, none: 0 } as const;
const endPresets = [90, 365] as const;

interface Told {
  readonly notice?: Html;
  readonly refused?: Refused;
  readonly status?: number;
}

async function keysPage(context: ContactContext, told: Told = {}): Promise<Page> {
  const { caller, useCases, language } = context;
  const { keys: words, parts } = language.m.settings;
  const keys = await useCases.company.listOwnKeys(caller);
  return settingsPage('keys', language.m, {
    title: parts.keys,
    status: told.status ?? told.refused?.status ?? 200,
    isStill: told.notice !== undefined || told.refused !== undefined,
    main: html`${told.notice ?? nothing}
<p class="lead">${words.lead}</p>
${
  keys.length === 0
    ? html`<p class="empty">${words.empty}</p>`
    : html`<ul class="cards">${keys.map((key) => card(key, context))}</ul>`
}
${createForm(context, told.refused)}`,
  });
}

function card(key: CompanyKey, { language, now }: ContactContext): Html {
  const { keys: words } = language.m.settings;
  const state = stateOfKey(key, now);
  const tone = { live: 'good', rotated: 'pending', expired: '', revoked: 'bad' }[state];
  return html`<li class="card"><h2>${key.name === null ? nothing : html`<bdi>${key.name}</bdi> `}<code dir="ltr">${key.hint}</code> <span class="badge ${tone}">${words.states[state]}</span></h2>
<dl class="facts"><div><dt>${words.created}</dt><dd>${exactly(key.createdAt, language)}</dd></div>
<div><dt>${words.lastUsed}</dt><dd>${key.lastUsedAt === null ? words.neverUsed : when(key.lastUsedAt, now, language)}</dd></div>
<div><dt>${words.ends}</dt><dd>${key.expiresAt === null ? words.noEnd : exactly(key.expiresAt, language)}</dd></div></dl>
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
  const option = (value: string, label: string) =>
    html`<label class="option"><input type="radio" name="until" value="${value}"${value === chosen ? html` checked` : nothing}> <span>${label}</span></label>`;
  const tomorrow = new Date(now.getTime() + day).toISOString().slice(0, 10);
  return html`<section class="panel" aria-labelledby="create"><h2 id="create">${words.createTitle}</h2>
<form method="post" action="${path}/review" class="stack" novalidate>${companyFields(context)}
<label for="name">${words.name}</label>
${fieldError('name', refused)}
<p class="hint" id="name-hint">${words.nameHint}</p>
<input id="name" name="name" maxlength="200" autocomplete="off" value="${name}"${described('name', refused, 'name-hint')}>
<fieldset${refused?.field === 'end' ? html` aria-describedby="end-error"` : nothing}><legend>${words.howLong}</legend>
${fieldError('end', refused)}
${option('none', words.noEnd)}
${endPresets.map((days) => option(String(days), days === 365 ? m.request.year : m.request.days(days)))}
${option('date', m.request.otherDate)}
<input type="date" name="date" min="${tomorrow}" aria-label="${m.request.otherDate}"${refused?.field === 'end' ? html` aria-invalid="true"` : nothing}></fieldset>
<button>${words.create}</button></form></section>`;
}

/** The end that a new key is to have; `invalid` when none was named where one must be. */
function readKeyEnd({ form, now }: ContactContext): Date | null | 'invalid' {
  const isEndless = form.text('expires_at') === undefined && form.text('until') === 'none';
  if (isEndless) return null;
  const end = readEnd(form, now);
  return end !== null && isFutureEnd(end, now) ? end : 'invalid';
}

/** What the form asks for that cannot be, if anything. */
function refusedIn(context: ContactContext): Told | null {
  const name = context.form.text('name');
  if (name !== undefined && !isName(name)) {
    const error = context.language.m.settings.keys.nameError;
    return { refused: { field: 'name', error, status: 422 } };
  }
  return readKeyEnd(context) === 'invalid' ? endRefused(context) : null;
}

const endRefused = ({ language: { m } }: ContactContext): Told => ({
  refused: { field: 'end', error: m.request.dateError, status: 422 },
});

/** The page again, with why nothing was changed; null when the failure is another one. */
const whyRefused =
  (context: ContactContext) =>
  ({ code }: AccessError): Promise<Page> | null => {
    const { keys: words } = context.language.m.settings;
    if (code === 'invalid_parameter') return keysPage(context, endRefused(context));
    if (code !== 'company_key_limit' && code !== 'company_key_conflict') return null;
    const text = code === 'company_key_limit' ? words.limit : words.conflict;
    return keysPage(context, { notice: alert(words.refused, text), status: statusOf[code] });
  };

async function findKey({ useCases, caller, params }: ContactContext): Promise<CompanyKey> {
  const keys = await useCases.company.listOwnKeys(caller);
  const key = keys.find(({ id }) => id === params.id);
  if (key === undefined) throw new AccessError('company_key_not_found');
  return key;
}

export const keyRoutes: Route[] = [
  {
    method: 'GET',
    path: '/settings/keys',
    access: 'contact',
    async handle(context) {
      const { keys: words } = context.language.m.settings;
      return keysPage(
        context,
        context.query.done === 'revoked' ? { notice: success(words.revoked) } : {},
      );
    },
  },
  {
    method: 'POST',
    path: '/settings/keys/review',
    access: 'contact',
    async handle(context) {
      const { language, caller } = context;
      const { keys: words } = language.m.settings;
      const refused = refusedIn(context);
      const end = readKeyEnd(context);
      if (refused !== null || end === 'invalid') return keysPage(context, refused ?? {});
      const name = context.form.text('name');
      return confirmationPage(context, {
        title: words.createReview,
        text: [
          ...(name === undefined ? [] : [html`${words.name}: <bdi>${name}</bdi>`]),
          words.createText(caller.companyName),
          end === null ? words.createNoEnd : words.createEnd(language.format.dateTime(end)),
        ],
        action: path,
        button: words.confirmCreate,
        tone: 'primary',
        back: path,
        fields: html`${onceField()}${
          name === undefined ? nothing : html`<input type="hidden" name="name" value="${name}">`
        }${
          end === null
            ? html`<input type="hidden" name="until" value="none">`
            : html`<input type="hidden" name="expires_at" value="${end.toISOString()}">`
        }`,
      });
    },
  },
  {
    method: 'POST',
    path: '/settings/keys',
    access: 'contact',
    async handle(context) {
      const { caller, useCases } = context;
      const { keys: words } = context.language.m.settings;
      const refused = refusedIn(context);
      const expiresAt = readKeyEnd(context);
      if (refused !== null || expiresAt === 'invalid') return keysPage(context, refused ?? {});
      const name = context.form.text('name');
      if (!(await isFirstTime(context))) return doneAlreadyPage(context, path);
      return attempt(async () => {
        const { secret } = await useCases.company.createOwnKey(caller, { name, expiresAt });
        const { newTitle: title, newText: text } = words;
        return secretPage(context, { title, text, secret, back: path });
      }, whyRefused(context));
    },
  },
  {
    method: 'GET',
    path: '/settings/keys/:id/rotate',
    access: 'contact',
    async handle(context) {
      const { keys: words } = context.language.m.settings;
      const { id, hint } = await findKey(context);
      return confirmationPage(context, {
        title: words.rotateReview(hint),
        text: [words.rotateText],
        action: `${path}/${id}/rotate`,
        button: words.confirmRotate,
        tone: 'primary',
        back: path,
        fields: html`${onceField()}<fieldset><legend>${words.overlap}</legend>${(
          Object.keys(overlaps) as (keyof typeof overlaps)[]
        ).map(
          (each) =>
            html`<label class="option"><input type="radio" name="overlap" value="${each}"${each === 'day' ? html` checked` : nothing}> <span>${words.overlaps[each]}</span></label>`,
        )}</fieldset>`,
      });
    },
  },
  {
    method: 'POST',
    path: '/settings/keys/:id/rotate',
    access: 'contact',
    async handle(context) {
      const { caller, useCases, params, form } = context;
      const { keys: words } = context.language.m.settings;
      if (!(await isFirstTime(context))) return doneAlreadyPage(context, path);
      const wanted = form.text('overlap') ?? '';
      const overlapMilliseconds = Object.hasOwn(overlaps, wanted)
        ? overlaps[wanted as keyof typeof overlaps]
        : overlaps.day;
      return attempt(async () => {
        const id = params.id ?? '';
        const { secret } = await useCases.company.rotateOwnKey(caller, { id, overlapMilliseconds });
        const { newTitle: title, rotatedText: text } = words;
        return secretPage(context, { title, text, secret, back: path });
      }, whyRefused(context));
    },
  },
  {
    method: 'GET',
    path: '/settings/keys/:id/revoke',
    access: 'contact',
    async handle(context) {
      const { keys: words } = context.language.m.settings;
      const { id, hint } = await findKey(context);
      return confirmationPage(context, {
        title: words.revokeReview(hint),
        text: [words.revokeText],
        action: `${path}/${id}/revoke`,
        button: words.confirmRevoke,
        tone: 'danger',
        back: path,
      });
    },
  },
  {
    method: 'POST',
    path: '/settings/keys/:id/revoke',
    access: 'contact',
    async handle(context) {
      const { caller, useCases, params } = context;
      return attempt(async () => {
        await useCases.company.revokeOwnKey(caller, { id: params.id ?? '' });
        return { to: `${path}?done=revoked` };
      }, whyRefused(context));
    },
  },
];
