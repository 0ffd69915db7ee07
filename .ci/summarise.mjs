// Prints what was skipped and the closing line, from the test runner's JSON report and its exit code.
import { readFileSync } from 'node:fs';

const [file, exitCode] = process.argv.slice(2);
let report;
try {
  report = JSON.parse(readFileSync(file, 'utf8'));
} catch {
  console.log('the tests did not run to their end');
  console.log('0 passed, 1 failed');
  process.exit(1);
}
const skipped = report.numPendingTests + report.numTodoTests;
for (const { name, assertionResults } of report.testResults) {
  const count = assertionResults.filter(
    ({ status }) => status !== 'passed' && status !== 'failed',
  ).length;
  if (count > 0) console.log(`skipped: ${count} in ${name}`);
}
// A threshold that was missed, or a file that could not be loaded, fails the run without failing a test.
const failed = report.numFailedTests || (exitCode === '0' && report.numPassedTests > 0 ? 0 : 1);
console.log(
  `${report.numPassedTests} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`,
);
process.exit(failed === 0 ? 0 : 1);
