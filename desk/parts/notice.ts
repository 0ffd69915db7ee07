import { type Html, html } from '../html.ts';

export const success = (text: string): Html =>
  html`<p class="notice good" role="status">${text}</p>`;

/** Said at once to whoever listens instead of looking. */
export const alert = (title: string, text: string): Html =>
  html`<div class="notice bad" role="alert"><strong>${title}</strong><p>${text}</p></div>`;
