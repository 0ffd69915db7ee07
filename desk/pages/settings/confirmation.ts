import { companyFields } from '../../components/layout.ts';
import type { ContactContext, Page } from '../../context.ts';
import { type Html, html, nothing } from '../../html.ts';

interface Confirmation {
  readonly title: string;
  /** What will happen. */
  readonly text: readonly (string | Html)[];
  /** Where the form is sent. */
  readonly action: string;
  readonly button: string;
  readonly tone: 'primary' | 'danger';
  readonly back: string;
  readonly fields?: Html;
}

/** Says in words what will happen, and asks for the last click. */
export function confirmationPage(
  context: ContactContext,
  { title, text, action, button, tone, back, fields }: Confirmation,
): Page {
  const { m } = context.language;
  return {
    title,
    section: 'settings',
    isStill: true,
    path: back,
    main: html`<div class="narrow panel">${text.map((each) => html`<p>${each}</p>`)}
<form method="post" action="${action}">${companyFields(context)}${fields ?? nothing}
<p class="actions"><button class="${tone}">${button}</button>
<a class="button" href="${back}">${m.cancel}</a></p></form></div>`,
  };
}
