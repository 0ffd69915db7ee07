import type { ContactContext, Page } from '../../context.ts';
import { html } from '../../html.ts';

interface ShownSecret {
  readonly title: string;
  readonly text: string;
  readonly secret: string;
  readonly back: string;
}

/** The one page that ever shows a secret. */
export function secretPage(
  { language: { m } }: ContactContext,
  { title, text, secret, back }: ShownSecret,
): Page {
  return {
    title,
    section: 'settings',
    isStill: true,
    path: back,
    main: html`<div class="narrow panel stack"><p class="lead">${text}</p>
<label for="secret">${m.settings.secret.label}</label>
<textarea id="secret" class="secret" rows="2" readonly dir="ltr" spellcheck="false" autocomplete="off" aria-describedby="secret-hint">${secret}</textarea>
<p class="notice" id="secret-hint">${m.settings.secret.hint}</p>
<p><a class="button" href="${back}">${m.settings.secret.done}</a></p></div>`,
  };
}
