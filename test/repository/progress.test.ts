import { expect, it } from 'vitest';
import ProgressReporter from '../support/progress-reporter.ts';

it('a run of tests says every five seconds how many files are done, in plain text', () => {
  let now = 0;
  const lines: string[] = [];
  const reporter = new ProgressReporter({ now: () => now, write: (line) => lines.push(line) });
  reporter.onTestRunStart(Array.from({ length: 40 }) as never);
  const end = (isGood: boolean, at: number) => {
    now = at;
    reporter.onTestModuleEnd({ ok: () => isGood });
  };
  end(true, 1_000);
  end(true, 4_999);
  expect(lines).toEqual([]);
  end(true, 5_000);
  end(false, 6_000);
  end(true, 11_000);
  expect(lines).toEqual(['3 of 40 files done', '5 of 40 files done, 1 with failures']);
});
