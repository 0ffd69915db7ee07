/**
 * Controls, line ends, changes of the text direction, and invisible characters. The two joiners stay after emoji and in
 * scripts that use them. Elsewhere they only hide text.
 */
const unseen =
  /(?![\u200C\u200D])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]|(?<![^\p{ASCII}\p{sc=Latin}\p{sc=Greek}\p{sc=Cyrillic}])[\u200C\u200D]/gu;

/**
 * Returns foreign text as one line of up to `maxLength` characters. It can't forge a line or a header, hide text, or
 * change the direction of the text around it.
 */
export function toOneLine(text: string, maxLength: number): string {
  const line = text.toWellFormed().replaceAll(unseen, ' ').replaceAll(/\s+/gu, ' ').trim();
  const characters = [...line];
  return characters.length <= maxLength ? line : `${characters.slice(0, maxLength - 1).join('')}…`;
}
