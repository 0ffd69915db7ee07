import { html as tagged } from 'hono/html';

export type Html = ReturnType<typeof tagged>;

/** Escapes each value, except values that are already markup. Attribute values must be in quotes. */
export const html = tagged;

export const nothing = '';

/** Shows a user's text in its own writing direction. */
export const bdi = (text: string): Html => html`<bdi>${text}</bdi>`;

export const success = (text: string): Html =>
  html`<p class="notice good" role="status">${text}</p>`;

/** A notice that screen readers read at once. */
export const alert = (title: string, text: string): Html =>
  html`<div class="notice bad" role="alert"><strong>${title}</strong><p>${text}</p></div>`;

export const fact = (name: string, value: Html | string): Html =>
  html`<div><dt>${name}</dt><dd>${value}</dd></div>`;

export const hidden = (name: string, value: string): Html =>
  html`<input type="hidden" name="${name}" value="${value}">`;
