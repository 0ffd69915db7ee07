import type { UserConsoleLog } from 'vitest';
import type { Reporter } from 'vitest/node';

/** Says once what is not tested on this machine, and why: each test that can't run writes a line "SKIPPED: …". */
export default class SkippedReporter implements Reporter {
  readonly #said = new Set<string>();

  onUserConsoleLog({ content }: UserConsoleLog): void {
    for (const line of content.match(/^SKIPPED: .*$/gm) ?? []) {
      if (!this.#said.has(line)) console.error(line);
      this.#said.add(line);
    }
  }
}
