const controls = /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu;

/**
 * Escapes control characters, line breaks and characters that change the text direction. So foreign text can't move the
 * cursor, colour the terminal or forge a line.
 */
export function escapeControls(text: string): string {
  return text.replaceAll(controls, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return `\\u{${code.toString(16)}}`;
  });
}
