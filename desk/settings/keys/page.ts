import { AccessError, addDays, hasPermission, isKeyLive, stateOfKey } from '#core';
import { organisationOf } from '../../components/account-menu.ts';
import { buttonLink } from '../../components/buttons.ts';
import { radio } from '../../components/fields.ts';
import { emptyState } from '../../components/lists.ts';
import { showIfAllowed } from '../../components/role-note.ts';
import { actions, table } from '../../components/table.ts';
import { fillMessage, formatDay, formatExactly, formatRelative } from '../../components/time.ts';
import { isOfCompany, type OwnerContext, type Page } from '../../context.ts';
import { alert, type Html, html, nothing } from '../../html.ts';
import { settingsRoutes } from '../changes.ts';
import { type Feedback, settingsPage, settingsWords } from '../settings-page.ts';
import {
  createForm,
  createKey,
  keyFields,
  moreOf,
  type NewKeyFields,
  type OwnKey,
  readNewKey,
  scopesOf,
} from './own-key.ts';

const path = '/desk/settings/keys';
const day = 86_400_000;

/** Keys that expire within this number of days are marked, so that users replace them in time. */
const soonDays = 14;

/** How long the old secret still works after a rotation, in milliseconds. */
const overlaps = { day, week: 7 * day, none: 0 } as const;
const overlapNames = Object.keys(overlaps) as (keyof typeof overlaps)[];

async function keysPage(context: OwnerContext, feedback: Feedback): Promise<Page> {
  const { keys: words } = settingsWords(context);
  const keys = await context.own.listKeys();
  return settingsPage('keys', context, {
    ...feedback,
    main: html`<p class="lead">${words.lead}</p>
<div class="adding"><div>${
      keys.length === 0
        ? emptyState({ title: words.empty, text: words.emptyHint })
        : table({
            label: settingsWords(context).tabs.keys,
            columns: [
              words.key,
              context.language.m.status,
              words.may,
              context.language.m.lastUsed,
              words.ends,
              actions(context.language.m.change),
            ],
            rows: keys.map((key) => row(key, context)),
            isBlocks: true,
          })
    }</div>
${showIfAllowed(context, 'manage_keys', () => createForm(context, feedback.errors))}</div>`,
  });
}

function describePermissions(
  { scopes }: Pick<NewKeyFields, 'scopes'>,
  context: OwnerContext,
): string {
  const names = new Map(scopesOf(context));
  return context.language.format.list(scopes.map((scope) => names.get(scope) ?? scope));
}

function row(key: OwnKey, context: OwnerContext): (Html | string)[] {
  const { caller, language, now } = context;
  const { keys: words } = settingsWords(context);
  const { id, name, hint, createdAt, lastUsedAt, expiresAt, replacedBy } = key;
  const state = stateOfKey(key, now);
  const tone = { live: 'good', rotated: 'pending', expired: '', revoked: 'bad' }[state];
  const of = `: ${hint}`;
  const rotate = buttonLink(`${path}/${id}/rotate`, words.rotate, 'usual', of);
  const revoke = buttonLink(`${path}/${id}/revoke`, words.revoke, 'danger', of);
  const more = moreOf(key, context);
  return [
    html`${name === null ? nothing : html`<bdi>${name}</bdi><br>`}<code class="hint" dir="ltr">${hint}</code><br><span class="hint">${words.created} ${formatDay(createdAt, language)}</span>`,
    html`<span class="badge ${tone}">${words.states[state]}</span>`,
    html`<span class="sentence long">${describePermissions(key, context)}</span>`,
    html`${lastUsedAt === null ? words.neverUsed : formatRelative(lastUsedAt, now, language)}${more && html`<br><span class="hint">${more}</span>`}`,
    expiresAt === null
      ? state === 'revoked'
        ? '–'
        : words.noEnd
      : html`${formatExactly(expiresAt, language)}${
          isKeyLive(key, now) && expiresAt < addDays(now, soonDays)
            ? html`<br><span class="badge pending">${formatRelative(expiresAt, now, language)}</span>`
            : nothing
        }`,
    isKeyLive(key, now) && hasPermission(caller, 'manage_keys')
      ? html`<div class="actions">${replacedBy === null ? rotate : nothing}${revoke}</div>`
      : nothing,
  ];
}

async function findKey(context: OwnerContext): Promise<OwnKey> {
  const keys = await context.own.listKeys();
  const key = keys.find((each) => each.id === context.id);
  if (key === undefined) {
    throw new AccessError(isOfCompany(context) ? 'company_key_not_found' : 'api_key_not_found');
  }
  return key;
}

export const keyRoutes = settingsRoutes({
  path: '/settings/keys',
  permission: 'manage_keys',
  show: keysPage,
  done: ({ keys: { revoked } }) => ({ revoked }),
  refusals({ keys: words }, m) {
    const limit = { notice: alert(m.nothingChanged, words.limit) };
    const conflict = { notice: alert(m.nothingChanged, words.conflict) };
    return {
      invalid_parameter: { errors: { end: m.request.dateError } },
      company_key_limit: limit,
      api_key_limit: limit,
      company_key_conflict: conflict,
      api_key_conflict: conflict,
    };
  },
  changes: [
    {
      path: '/settings/keys',
      formPath: '/settings/keys/review',
      isOnce: true,
      review(context, { keys: words }) {
        const { caller, language } = context;
        const key = readNewKey(context);
        if (!('expiresAt' in key)) return key;
        const { name, expiresAt: end } = key;
        return {
          title: words.createReview,
          text: [
            ...(name === undefined ? [] : [html`${words.name}: <bdi>${name}</bdi>`]),
            words.createText(organisationOf(caller), describePermissions(key, context)),
            end === null
              ? words.createNoEnd
              : fillMessage(words.createEnd, formatExactly(end, language)),
          ],
          button: words.confirmCreate,
          tone: 'primary',
          fields: keyFields(key),
        };
      },
      async make(context, { keys: words }) {
        const key = readNewKey(context);
        if (!('expiresAt' in key)) return key;
        const { secret } = await createKey(key, context);
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
      async make(context, { keys: words }) {
        const { id, form } = context;
        const overlap = overlapNames.find((each) => each === form.text('overlap')) ?? 'day';
        const rotation = { id, overlapMilliseconds: overlaps[overlap] };
        const { secret } = await context.own.rotateKey(rotation);
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
          button: context.language.m.review.confirm.revoke,
          tone: 'danger',
        };
      },
      async make(context) {
        await context.own.revokeKey({ id: context.id });
        return { to: `${path}?done=revoked` };
      },
    },
  ],
});
