import { type Html, html, nothing } from '../html.ts';

type Tone = 'primary' | 'danger' | 'usual';

/** The tone `danger` is for each action that can't be undone. */
const classOf = (tone: Tone): string => (tone === 'usual' ? 'button' : `button ${tone}`);

/**
 * @param of a hidden text for screen readers that names the button's subject, because users may hear only the button
 */
export const buttonLink = (to: string, text: string, tone: Tone = 'usual', of = ''): Html =>
  html`<a class="${classOf(tone)}" href="${to}">${text}${of && html`<span class="visually-hidden">${of}</span>`}</a>`;

export const submitButton = (text: string, tone: Tone = 'usual', label?: string): Html =>
  html`<button class="${classOf(tone)}"${label === undefined ? nothing : html` aria-label="${label}"`}>${text}</button>`;
