import { readdirSync, readFileSync } from 'node:fs';

/** Parents come first. Works only on Linux. */
export function processTree(root: number): number[] {
  const children = new Map<number, number[]>();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const parent = readParent(name);
    if (parent !== null) children.set(parent, [...(children.get(parent) ?? []), Number(name)]);
  }
  const found = [root];
  for (const pid of found) found.push(...(children.get(pid) ?? []));
  return found;
}

function readParent(pid: string): number | null {
  try {
    // The program's name is in parentheses, and can itself contain spaces and parentheses.
    const [, rest = ''] = /\) (.*)$/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? [];
    return Number(rest.split(' ')[1]);
  } catch {
    return null;
  }
}
