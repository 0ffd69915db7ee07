import { type Html, html, nothing } from '../html.ts';

type Tone = 'primary' | 'danger' | 'usual';

/** The tone `danger` marks each action that can't be undone. */
const classOf = (tone: Tone): string => (tone === 'usual' ? 'button' : `button ${tone}`);

/** @param of hidden text that names the button's subject. Screen readers may read the button without its table row */
export const buttonLink = (to: string, text: string, tone: Tone = 'usual', of = ''): Html =>
  html`<a class="${classOf(tone)}" href="${to}">${text}${of && html`<span class="visually-hidden">${of}</span>`}</a>`;

export const submitButton = (text: string, tone: Tone = 'usual', label?: string): Html =>
  html`<button class="${classOf(tone)}"${label === undefined ? nothing : html` aria-label="${label}"`}>${text}</button>`;
