import { dirname } from 'node:path';
import ts from 'typescript';

/** The returned function finds a text in the file, and returns the hover text and the completions at its end. */
export function createHover(file: string) {
  const options: ts.CompilerOptions = {
    strict: true,
    exactOptionalPropertyTypes: true,
    module: ts.ModuleKind.NodeNext,
    target: ts.ScriptTarget.ESNext,
    types: [],
  };
  const { fileExists, readFile, readDirectory, directoryExists, getDirectories } = ts.sys;
  const service = ts.createLanguageService({
    ...{ fileExists, readFile, readDirectory, directoryExists, getDirectories },
    getCompilationSettings: () => options,
    getCurrentDirectory: () => dirname(file),
    getDefaultLibFileName: ts.getDefaultLibFilePath,
    getScriptFileNames: () => [file],
    getScriptVersion: () => '1',
    getScriptSnapshot(path) {
      const text = readFile(path);
      return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
    },
  });
  const source = readFile(file) ?? '';
  return (text: string) => {
    const start = source.indexOf(text);
    if (start === -1) throw new Error(`${text} is not in ${file}`);
    const place = start + text.length - 1;
    const info = service.getQuickInfoAtPosition(file, place);
    return {
      offers: service.getCompletionsAtPosition(file, place, {})?.entries.map(({ name }) => name),
      type: ts.displayPartsToString(info?.displayParts),
      documentation: ts.displayPartsToString(info?.documentation),
    };
  };
}
