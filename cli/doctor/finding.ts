import { describeError } from '../../gateway/describe-error.ts';
import { withinTime } from '../../gateway/within-time.ts';

/** One line of the report: what is so, and what to do about it. */
export interface Finding {
  /** What was looked at. */
  readonly check: string;
  readonly state: 'ok' | 'warning' | 'failed';
  readonly message: string;
  /** Null when there is nothing to do. */
  readonly advice: string | null;
}

/** Of one check, in the order in which they are told. */
export class Findings {
  readonly list: Finding[] = [];
  readonly #check: string;

  constructor(check: string) {
    this.#check = check;
  }

  ok(message: string): void {
    this.list.push({ check: this.#check, state: 'ok', message, advice: null });
  }

  warn(message: string, advice: string): void {
    this.list.push({ check: this.#check, state: 'warning', message, advice });
  }

  fail(message: string, advice: string): void {
    this.list.push({ check: this.#check, state: 'failed', message, advice });
  }
}

/** Longer than any wait that a check ends by itself. */
const checkMilliseconds = 10_000;

/** What breaks or hangs is a finding too: the report always comes to its end. */
export async function runCheck(
  check: string,
  work: (findings: Findings) => Promise<void>,
  milliseconds = checkMilliseconds,
): Promise<Finding[]> {
  const findings = new Findings(check);
  const done = work(findings)
    .catch((error: unknown) =>
      findings.fail(describeError(error).message, 'mend this, and run doctor again'),
    )
    .then(() => true);
  if ((await withinTime(done, milliseconds)) === undefined) {
    findings.fail(
      `there was no answer within ${milliseconds / 1000} seconds`,
      'see whether it hangs, and what stands between it and this machine',
    );
  }
  return [...findings.list];
}
