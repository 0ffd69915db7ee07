import { type Html, html, nothing } from '../html.ts';

type Tone = 'primary' | 'danger' | 'usual';

/** An action that can't be undone has the tone `danger` everywhere. */
const classOf = (tone: Tone): string => (tone === 'usual' ? 'button' : `button ${tone}`);

/**
 * A link to the page of an action.
 *
 * @param of names the subject for screen readers, because they may read the button without its row. It follows the text
 */
export const buttonLink = (to: string, text: string, tone: Tone = 'usual', of = ''): Html =>
  html`<a class="${classOf(tone)}" href="${to}">${text}${of && html`<span class="visually-hidden">${of}</span>`}</a>`;

/** The button that submits its form. */
export const submitButton = (text: string, tone: Tone = 'usual', label?: string): Html =>
  html`<button class="${classOf(tone)}"${label === undefined ? nothing : html` aria-label="${label}"`}>${text}</button>`;
