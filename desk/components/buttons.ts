import { type Html, html, nothing } from '../html.ts';

type Tone = 'primary' | 'danger' | 'usual';

/** An action that can't be undone has the tone `danger` everywhere. */
const classOf = (tone: Tone): string => (tone === 'usual' ? 'button' : `button ${tone}`);

/** @param of the subject for screen readers, which may read the button without its row */
export const buttonLink = (to: string, text: string, tone: Tone = 'usual', of = ''): Html =>
  html`<a class="${classOf(tone)}" href="${to}">${text}${of && html`<span class="visually-hidden">${of}</span>`}</a>`;

export const submitButton = (text: string, tone: Tone = 'usual', label?: string): Html =>
  html`<button class="${classOf(tone)}"${label === undefined ? nothing : html` aria-label="${label}"`}>${text}</button>`;
