import type { UserConsoleLog } from 'vitest';
import type { Reporter } from 'vitest/node';

/** Prints once which tests are skipped on this machine, and why. Tests print the reasons as lines "SKIPPED: …". */
export default class SkippedReporter implements Reporter {
  readonly #said = new Set<string>();

  onUserConsoleLog({ content }: UserConsoleLog): void {
    for (const line of content.match(/^SKIPPED: .*$/gm) ?? []) {
      if (!this.#said.has(line)) console.error(line);
      this.#said.add(line);
    }
  }
}
