import { AccessError, type AccessErrorCode, type Permission, requirePermission } from '#core';
import { errorAnswers } from '#http';
import { onceField, ownerFields } from '../components/fields.ts';
import type { Section } from '../components/navigation.ts';
import type { OwnerContext, Page, PageResult, Redirect } from '../context.ts';
import { type Html, html, nothing, success } from '../html.ts';
import type { Messages } from '../messages/index.ts';
import { forOwners, type Route } from '../route.ts';
import { type Feedback, type SettingsWords, settingsWords } from './settings-page.ts';

export interface Confirmation {
  readonly title: string;
  readonly text: readonly (string | Html)[];
  readonly button: string;
  readonly tone: 'primary' | 'danger';
  readonly fields?: Html;
}

interface ShownSecret {
  readonly title: string;
  readonly text: string;
  readonly secret: string;
  /** The page to open next. If absent, the page on which the change started. */
  readonly back?: string;
}

interface Change {
  /** Without the prefix `/desk`. A GET shows the confirmation page, a POST makes the change. */
  readonly path: string;
  /**
   * Only for a change with form fields: the path to which the form is sent. The response is the confirmation page,
   * which replaces the one from the GET.
   */
  readonly formPath?: string;
  /** True if the result shows a secret. If the browser sends the same form twice, the change is made only once. */
  readonly isOnce?: boolean;
  review(
    context: OwnerContext,
    words: SettingsWords,
  ): Confirmation | Feedback | Promise<Confirmation>;
  make(context: OwnerContext, words: SettingsWords): Promise<Redirect | ShownSecret | Feedback>;
}

interface Settings {
  readonly permission: Permission;
  /** Without the prefix `/desk`. */
  readonly path: string;
  readonly show: (context: OwnerContext, feedback: Feedback) => Promise<Page>;
  /** The text to show for each value of `done` in the address. */
  readonly done: (words: SettingsWords) => Readonly<Record<string, string>>;
  readonly refusals: (
    words: SettingsWords,
    m: Messages,
  ) => Readonly<Partial<Record<AccessErrorCode, Feedback>>>;
  readonly changes: readonly Change[];
}

export function settingsRoutes(settings: Settings): Route[] {
  const { path, show, done, changes } = settings;
  const page = forOwners.get(path, (context) => {
    const texts = new Map(Object.entries(done(settingsWords(context))));
    const text = texts.get(context.query.done ?? '');
    return show(context, text === undefined ? {} : { notice: success(text) });
  });
  return [...page, ...changes.flatMap((change) => changeRoutes(settings, change))];
}

const addressOf = (path: string, { id }: OwnerContext): string =>
  `/desk${path.replace(':id', () => id)}`;

function changeRoutes({ path, permission, show, refusals }: Settings, change: Change): Route[] {
  const refuse = (context: OwnerContext, feedback: Feedback) =>
    show(context, { status: 422, ...feedback });

  async function review(context: OwnerContext): Promise<Page> {
    requirePermission(context.caller, permission);
    const reviewed = await change.review(context, settingsWords(context));
    return 'button' in reviewed
      ? confirmationPage(context, reviewed, change, addressOf(path, context))
      : refuse(context, reviewed);
  }

  async function make(context: OwnerContext): Promise<PageResult> {
    requirePermission(context.caller, permission);
    const words = settingsWords(context);
    const back = addressOf(path, context);
    // Checks the fields before the form's ID is used up. So the user can correct an invalid form and send it again.
    const checked = change.formPath ? await change.review(context, words) : {};
    if ('errors' in checked) return refuse(context, checked);
    if (change.isOnce && !(await claimForm(context))) return doneAlreadyPage(context, back);
    try {
      const made = await change.make(context, words);
      if ('to' in made) return made;
      return 'secret' in made ? secretPage(context, { back, ...made }) : refuse(context, made);
    } catch (error) {
      if (!(error instanceof AccessError)) throw error;
      const { code } = error;
      const feedback = refusals(words, context.language.m)[code];
      if (feedback === undefined) throw error;
      const status = code === 'invalid_parameter' ? 422 : errorAnswers[code].status;
      return show(context, { ...feedback, status });
    }
  }

  const reviewed = change.formPath
    ? forOwners.post(change.formPath, review)
    : forOwners.get(change.path, review);
  return [...reviewed, ...forOwners.post(change.path, make)];
}

function confirmationPage(
  context: OwnerContext,
  { title, text, button, tone, fields }: Confirmation,
  { path, isOnce }: Pick<Change, 'path' | 'isOnce'>,
  back: string,
): Page {
  const { m } = context.language;
  return {
    title,
    section: 'settings',
    isStill: true,
    path: back,
    main: html`<div class="narrow panel">${text.map((each) => html`<p>${each}</p>`)}
<form method="post" action="${addressOf(path, context)}">${ownerFields(context)}${isOnce ? onceField() : nothing}${fields ?? nothing}
<p class="actions"><button class="${tone}">${button}</button>
<a class="button" href="${back}">${m.cancel}</a></p></form></div>`,
  };
}

/** A reload or a second click sends the same form again. */
export const claimForm = ({ useCases, caller, form }: OwnerContext): Promise<boolean> =>
  useCases.contact.claimForm(caller, { id: form.text('form') ?? '' });

export const doneAlreadyPage = (
  { language: { m } }: OwnerContext,
  back: string,
  section: Section = 'settings',
): Page => ({
  title: m.settings.once.title,
  section,
  status: 409,
  path: back,
  main: html`<div class="narrow panel"><p class="lead">${m.settings.once.text}</p>
<p><a class="button" href="${back}">${m.back}</a></p></div>`,
});

/** No other page ever shows this secret again. */
function secretPage(
  { language: { m } }: OwnerContext,
  { title, text, secret, back }: ShownSecret & { readonly back: string },
): Page {
  const words = m.settings.secret;
  return {
    title,
    section: 'settings',
    path: back,
    scripts: ['copy.js'],
    main: html`<div class="narrow panel stack"><p class="lead">${text}</p>
<label for="secret">${words.label}</label>
<textarea id="secret" class="secret" rows="2" readonly dir="ltr" spellcheck="false" autocomplete="off" aria-describedby="secret-hint">${secret}</textarea>
<p class="actions"><button type="button" data-copy="secret" hidden>${words.copy}</button> <span role="status" data-copied="${words.copied}"></span></p>
<p class="notice" id="secret-hint">${words.hint}</p>
<p><a class="button" href="${back}">${words.done}</a></p></div>`,
  };
}
