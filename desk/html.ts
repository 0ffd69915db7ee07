import { html as tagged } from 'hono/html';

/** Markup whose values were escaped when it was written. */
export type Html = ReturnType<typeof tagged>;

/** Everything that is put in is escaped, unless it is markup itself. Attributes must stand in quotes. */
export const html = tagged;

export const nothing = '';

/** A text that somebody else wrote, in its own direction. */
export const bdi = (text: string): Html => html`<bdi>${text}</bdi>`;

export const success = (text: string): Html =>
  html`<p class="notice good" role="status">${text}</p>`;

/** Said at once to whoever listens instead of looking. */
export const alert = (title: string, text: string): Html =>
  html`<div class="notice bad" role="alert"><strong>${title}</strong><p>${text}</p></div>`;

/** An entry of a list of facts. */
export const fact = (name: string, value: Html | string): Html =>
  html`<div><dt>${name}</dt><dd>${value}</dd></div>`;

export const hidden = (name: string, value: string): Html =>
  html`<input type="hidden" name="${name}" value="${value}">`;
