/**
 * Control characters, line breaks, characters that change the text direction, and invisible characters. The joiners
 * U+200C and U+200D are kept after emoji and in scripts that need them. In other places, joiners can only hide text.
 */
const invisibleCharacters =
  /(?![\u200C\u200D])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]|(?<![^\p{ASCII}\p{sc=Latin}\p{sc=Greek}\p{sc=Cyrillic}])[\u200C\u200D]/gu;

/**
 * Returns foreign text as one line of at most `maxLength` characters. Such a line can't forge a header or a second
 * line, hide text, or change the direction of the surrounding text.
 */
export function toOneLine(text: string, maxLength: number): string {
  const line = text
    .toWellFormed()
    .replaceAll(invisibleCharacters, ' ')
    .replaceAll(/\s+/gu, ' ')
    .trim();
  const characters = [...line];
  return characters.length <= maxLength ? line : `${characters.slice(0, maxLength - 1).join('')}…`;
}
