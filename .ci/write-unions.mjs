// In the type declarations of a published package, replaces unions that are computed from constants with their values.
// Removes these constants, because the package doesn't contain them.
import { readFileSync, writeFileSync } from 'node:fs';
import ts from 'typescript';

export function writeUnions(file) {
  replace(file, findComputed);
  replace(file, findUnused);
}

function replace(file, find) {
  const program = ts.createProgram([file], { target: ts.ScriptTarget.ESNext, skipLibCheck: true });
  let text = readFileSync(file, 'utf8');
  const places = find(program.getSourceFile(file), program.getTypeChecker());
  for (const { start, end, by } of places.toSorted((a, b) => b.start - a.start)) {
    text = text.slice(0, start) + by + text.slice(end);
  }
  writeFileSync(file, text);
}

const format = ts.TypeFormatFlags.NoTruncation | ts.TypeFormatFlags.InTypeAlias;

function findComputed(source, checker) {
  return nodesOf(source)
    .filter((node) => isElementOfConstant(node) || isKeyOfConstant(node))
    .map((node) => ({
      start: node.getStart(),
      end: node.end,
      by: checker.typeToString(checker.getTypeFromTypeNode(node), undefined, format),
    }));
}

/** For example `(typeof names)[number]`. */
const isElementOfConstant = (node) =>
  ts.isIndexedAccessTypeNode(node) &&
  ts.isParenthesizedTypeNode(node.objectType) &&
  ts.isTypeQueryNode(node.objectType.type);

/** For example `keyof typeof catalogue`. */
const isKeyOfConstant = (node) => ts.isTypeOperatorNode(node) && ts.isTypeQueryNode(node.type);

function findUnused(source) {
  const identifiers = nodesOf(source).filter(ts.isIdentifier);
  const isUnused = ({ name }) => identifiers.filter(({ text }) => text === name.text).length === 1;
  return source.statements
    .filter(
      (node) => ts.isVariableStatement(node) && node.declarationList.declarations.every(isUnused),
    )
    .map((node) => ({ start: node.getFullStart(), end: node.end, by: '' }));
}

function nodesOf(node) {
  const children = [];
  ts.forEachChild(node, (child) => void children.push(child));
  return [node, ...children.flatMap(nodesOf)];
}
