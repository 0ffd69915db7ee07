import { AccessError, type CompanyKey, isFutureEnd, isName } from '#core';
import { errorAnswers } from '#http';
import { claimFormToken, doneAlreadyPage, formTokenField } from '../../components/form-token.ts';
import type { ContactContext, Page } from '../../context.ts';
import { readEnd } from '../../decision.ts';
import { alert, hidden, html, nothing, radio, success } from '../../html.ts';
import type { Route } from '../../route.ts';
import { attempt, type Feedback } from './components.ts';
import { confirmationPage } from './confirmation.ts';
import { keysPage, path } from './keys-page.ts';
import { secretPage } from './secret.ts';

const day = 86_400_000;

/** How long the old secret goes on working after a rotation. */
const overlaps = { day, week: 7 * day, none: 0 } as const;

/** The end that a new key is to have; `invalid` when none was named where one must be. */
function readKeyEnd({ form, now }: ContactContext): Date | null | 'invalid' {
  const isEndless = form.text('expires_at') === undefined && form.text('until') === 'none';
  if (isEndless) return null;
  const end = readEnd(form, now);
  return end !== null && isFutureEnd(end, now) ? end : 'invalid';
}

/** What the form asks for that cannot be, if anything. */
function refusedIn(context: ContactContext): Feedback | null {
  const name = context.form.text('name');
  if (name !== undefined && !isName(name)) {
    const error = context.language.m.settings.keys.nameError;
    return { refused: { field: 'name', error, status: 422 } };
  }
  return readKeyEnd(context) === 'invalid' ? endRefused(context) : null;
}

const endRefused = ({ language: { m } }: ContactContext): Feedback => ({
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
    return keysPage(context, {
      notice: alert(words.refused, text),
      status: errorAnswers[code].status,
    });
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
        fields: html`${formTokenField()}${name === undefined ? nothing : hidden('name', name)}${
          end === null ? hidden('until', 'none') : hidden('expires_at', end.toISOString())
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
      if (!(await claimFormToken(context))) return doneAlreadyPage(context, path);
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
        fields: html`${formTokenField()}<fieldset><legend>${words.overlap}</legend>${(
          Object.keys(overlaps) as (keyof typeof overlaps)[]
        ).map((each) => radio('overlap', each, 'day', words.overlaps[each]))}</fieldset>`,
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
      if (!(await claimFormToken(context))) return doneAlreadyPage(context, path);
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
