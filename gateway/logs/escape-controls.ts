/** Controls, line ends included, and the characters that turn the direction of text. */
const controls = /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu;

/**
 * Text that others wrote, made safe to show: a purpose or a name must not be able to move the cursor, colour the
 * terminal or forge a line.
 */
export function escapeControls(text: string): string {
  return text.replaceAll(controls, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return `\\u{${code.toString(16)}}`;
  });
}
