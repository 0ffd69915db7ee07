import type { Messages } from '../../desk/messages/index.ts';

/**
 * Returns each message by its path, with ⟨0⟩ as the first parameter. Leaves out the messages of the
 * file reader (`sheets`), because their functions take objects, which the compiler checks in every
 * language.
 */
export function flatten(catalogue: unknown, path: readonly string[] = []): Map<string, string> {
  if (typeof catalogue === 'string') return new Map([[path.join('.'), catalogue]]);
  if (typeof catalogue === 'function') {
    const marks = Array.from({ length: catalogue.length }, (_, index) => `⟨${index}⟩`);
    return new Map([[path.join('.'), String(catalogue(...marks))]]);
  }
  return new Map(
    Object.entries(catalogue as object)
      .filter(([name]) => name !== 'sheets')
      .flatMap(([name, each]) => [...flatten(each, [...path, name])]),
  );
}

export function translate(catalogue: Messages, change: (text: string) => string): Messages {
  const walk = (part: unknown): unknown => {
    if (typeof part === 'string') return part === '' ? '' : change(part);
    if (typeof part === 'function') return (...given: unknown[]) => walk(part(...given));
    if (Array.isArray(part)) return part.map(walk);
    return Object.fromEntries(
      Object.entries(part as object).map(([name, each]) => [name, walk(each)]),
    );
  };
  return walk(catalogue) as Messages;
}
