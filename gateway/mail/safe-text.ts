/**
 * Controls, line ends, what turns the direction of text, and what is not seen at all. The two joiners stay after emoji and
 * letters of scripts that are written with them; after any other character they only hide something.
 */
const unseen =
  /(?![\u200C\u200D])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]|(?<![^\p{ASCII}\p{sc=Latin}\p{sc=Greek}\p{sc=Cyrillic}])[\u200C\u200D]/gu;

/**
 * One line of what others wrote, at most so long, that can neither forge a line or a header nor hide something or turn
 * the text around it.
 */
export function toOneLine(text: string, maxLength: number): string {
  const line = text.toWellFormed().replaceAll(unseen, ' ').replaceAll(/\s+/gu, ' ').trim();
  const characters = [...line];
  return characters.length <= maxLength ? line : `${characters.slice(0, maxLength - 1).join('')}…`;
}
