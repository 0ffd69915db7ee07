import { randomUUID } from 'node:crypto';
import type { ContactContext, Page } from '../context.ts';
import { type Html, hidden, html } from '../html.ts';

/** In a form whose answer shows a secret. */
export const formTokenField = (): Html => hidden('form', randomUUID());

/** Whether the form is sent for the first time; afterwards it is a reload or a second click, and must do nothing. */
export const claimFormToken = ({ useCases, caller, form }: ContactContext): Promise<boolean> =>
  useCases.contact.claimForm(caller, { id: form.text('form') ?? '' });

export function doneAlreadyPage({ language: { m } }: ContactContext, back: string): Page {
  return {
    title: m.settings.once.title,
    section: 'settings',
    status: 409,
    isStill: true,
    path: back,
    main: html`<div class="narrow panel"><p class="lead">${m.settings.once.text}</p>
<p><a class="button" href="${back}">${m.back}</a></p></div>`,
  };
}
